"""Names of before, which work for one release and say what replaces them."""

import pytest

from spacy_structparse.pipeline import parser
from spacy_structparse.pipeline.sentence_pipe import SentencePipe


def test_the_base_of_components_has_its_old_name_too():
    with pytest.warns(DeprecationWarning, match=r"sentence_pipe\.SentencePipe"):
        assert parser.SentenceParser is SentencePipe
    with pytest.raises(AttributeError, match="no attribute 'Other'"):
        _ = parser.Other
