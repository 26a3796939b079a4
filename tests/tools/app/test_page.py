"""The page in a browser."""

from typing import Any

HOSTILE = (
    '<script>window.attacked = 1</script> <img src=x onerror="window.attacked = 1"> ![a](b) barks'
)


def parse(page: Any, text: str) -> None:
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Parse", exact=True).click()


def choose(page: Any, box: str, option: str) -> None:
    page.get_by_role("combobox", name=box).click()
    page.get_by_role("option", name=option).click()


def look_at(page: Any, view: str) -> None:
    page.get_by_test_id("stButtonGroup").get_by_text(view, exact=True).click()


def search(page: Any, pattern: str) -> None:
    box = page.get_by_label("Tregex pattern")
    box.fill(pattern)
    box.press("Enter")


def test_a_typed_text_is_drawn_and_another_pipeline_draws_its_arcs(page: Any) -> None:
    parse(page, "Old dogs sleep")
    page.get_by_role("img", name="Tree: Old dogs sleep").wait_for()
    choose(page, "Pipeline", "stack_torch_direct")
    picture = page.get_by_role("img", name="Dependencies: Old dogs sleep")
    picture.wait_for()
    assert picture.evaluate("one => one.decode().then(() => one.naturalWidth)") > 100
    assert page.get_by_role("img", name="Tree: ").count() == 0
    look_at(page, "Search")
    page.get_by_text("This pipeline has no constituency parser").wait_for()


def test_two_pipelines_side_by_side(page: Any) -> None:
    choose(page, "Compare with", "trees_in_order_probabilistic")
    page.get_by_text("In only one of the two: ").wait_for()
    assert page.get_by_role("img", name="Tree: ").count() == 2


def test_confidence_and_other_parses(page: Any) -> None:
    before = page.get_by_role("img", name="Tree: ").get_attribute("src")
    page.get_by_text("Show confidence").click()
    page.wait_for_function("src => [...document.images].every(one => one.src !== src)", arg=before)
    look_at(page, "Other parses")
    box = page.get_by_role("combobox", name="Parse (of the")
    box.click()
    # The second one is the pipeline's own: it decodes greedily.
    page.get_by_role("option", name="3. probability").click()
    page.get_by_text("What the best parse does not have").wait_for()
    page.get_by_role("img", name="Tree: ").wait_for()


def test_attention(page: Any) -> None:
    look_at(page, "Attention")
    page.get_by_text("deterministic attention; darkest").wait_for()
    row = page.get_by_role("row", name="label-").first
    assert row.get_by_role("cell").nth(1).inner_text().startswith("label-")
    word = page.get_by_role("columnheader", name="stirs")
    assert word.bounding_box()["width"] < word.bounding_box()["height"]  # written upwards


def test_search_lists_matches_and_shows_the_column_of_an_error(page: Any) -> None:
    look_at(page, "Search")
    search(page, "S << NP=found")
    page.get_by_text("found = The cook").first.wait_for()
    page.get_by_role("img", name="Tree with matches").wait_for()
    search(page, "S << (NP")
    page.get_by_text("column 9").wait_for()


def test_the_parse_is_downloaded(page: Any) -> None:
    parse(page, "Old dogs sleep")
    page.get_by_role("img", name="Tree: Old dogs sleep").wait_for()
    look_at(page, "Downloads")
    with page.expect_download() as found:
        page.get_by_role("button", name="Penn brackets").click()
    text = found.value.path().read_text(encoding="utf8")
    assert found.value.suggested_filename == "parse.ptb"
    assert text.startswith("(TOP ") and text.count("\n") == 1
    assert [word in text for word in (" Old)", " dogs)", " sleep)")] == [True] * 3


def test_html_is_text_and_a_long_text_is_refused(page: Any) -> None:
    parse(page, HOSTILE)
    page.get_by_role(
        "img", name="Tree: <script>window.attacked = 1< /script> <img src=x"
    ).wait_for()
    look_at(page, "Search")
    search(page, "__=<b>x</b>")
    page.get_by_text("Nothing was searched").wait_for()
    search(page, "S <<, __=first")
    page.get_by_text("first = <script>window.attacked").first.wait_for()
    look_at(page, "Attention")
    page.get_by_text("stack after it").wait_for()
    parse(page, "<i> " * 6_000)
    page.get_by_text("has 23,999 characters, and this page takes 20,000").wait_for()
    assert page.evaluate("window.attacked") is None


def test_nothing_is_wider_than_a_telephone(page: Any) -> None:
    width = 400
    page.set_viewport_size({"width": width, "height": 800})
    parse(page, "The old dogs of the house sleep in the sun all day long")
    page.get_by_role("img", name="Tree: The old dogs").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
