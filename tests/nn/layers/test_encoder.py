"""What the encoders of all parsers have in common."""

import numpy as np
import pytest
import torch

from spacy_structparse.nn.layers.encoder import Encoder, Kind


@pytest.mark.parametrize(
    ("kind", "reduced"),
    [("bilstm", True), ("bisru", True), ("bigru", False), ("lstm", False)],
)
@torch.no_grad()
def test_which_encoders_read_in_bfloat16(
    kind: Kind, reduced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_structparse.nn.kernels.packed_linear.has_fast_bfloat16", bool)
    torch.manual_seed(0)
    pair = [Encoder(kind, 6, 16, 2, bfloat16=one) for one in (True, False)]
    pair[0].load_state_dict(pair[1].state_dict())
    tokens = torch.randn(8, 6)
    found, single = (one(tokens, np.array([5, 3])).positions for one in pair)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, single, rtol=0, atol=0.05)
    assert torch.equal(found, single) != reduced
