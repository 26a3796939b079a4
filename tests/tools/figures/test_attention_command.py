"""`spacy structparse attention`."""

import spacy

from tests.helpers.commands import run, said
from tests.helpers.fake_tracer import save_pipeline

TEXT = "Old dogs sleep. They like\nit."


def test_a_picture_for_each_sentence(tmp_path):
    model = save_pipeline(tmp_path / "model")
    for suffix in ("png", "svg"):
        folder = tmp_path / suffix
        run("attention", model, TEXT, "--output", folder / f"out.{suffix}")
        names = sorted(path.name for path in folder.iterdir())
        assert names == [f"out-1.{suffix}", f"out-2.{suffix}"]
    svg = (tmp_path / "svg" / "out-2.svg").read_text(encoding="utf-8")
    assert "They like it ." in svg and "label-NP" in svg and "dogs" not in svg


def test_one_page_for_all_sentences(tmp_path):
    model = save_pipeline(tmp_path / "model", attention="probabilistic", linearization="in_order")
    output = tmp_path / "out.html"
    run("attention", model, "-", "--output", output, text=TEXT)
    page = output.read_text(encoding="utf-8")
    assert page.count("<table>") == 2
    assert "(S Old (NP dogs (NP sleep .)))" in page and "REDUCE-NP" in page
    assert "probabilistic attention" in page


def test_parser_without_attention(tmp_path):
    model = save_pipeline(tmp_path / "model", attention="none")
    assert "no attention" in said("attention", model, TEXT, "--output", tmp_path / "out.svg")
    assert "this parser has no attention" in (tmp_path / "out-1.svg").read_text(encoding="utf-8")


def test_what_has_no_attention_to_show(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "none")
    model = save_pipeline(tmp_path / "model")
    output = tmp_path / "out.html"
    for arguments, problem in (
        ((tmp_path / "none", TEXT, "-o", output), "its components: sentencizer"),
        ((model, "  ", "-o", output), "The text has no words"),
        (("no-such-model", TEXT, "-o", output), "'no-such-model' cannot be loaded"),
    ):
        assert problem in said("attention", *arguments, status=1)
    assert not output.exists()
