"""What the encoders of all parsers have in common."""

import numpy as np
import pytest
import torch

from spacy_structparse.nn.layers.encoder import Encoder, Kind
from tests.helpers.precision import in_bfloat16


@pytest.mark.parametrize(
    ("kind", "reduced"),
    [("bilstm", True), ("cnn", True), ("bigru", False), ("lstm", False)],
)
@torch.no_grad()
def test_which_encoders_read_in_bfloat16(kind: Kind, reduced: bool) -> None:
    torch.manual_seed(0)
    encoder = Encoder(kind, 6, 16, 2)
    tokens = torch.randn(8, 6)
    single = encoder(tokens, np.array([5, 3])).positions
    with in_bfloat16():
        found = encoder(tokens, np.array([5, 3])).positions
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, single, rtol=0, atol=0.05)
    assert torch.equal(found, single) != reduced
