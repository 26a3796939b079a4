"""The pages of results are made from the files of results."""

from benchmarks import make_results


def test_pages_are_up_to_date() -> None:
    make_results.main(check=True)
