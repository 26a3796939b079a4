"""Words by their characters, against a loop over words and windows."""

import torch

from spacy_structparse.nn.layers.token_embedding import CharacterConvolution


def naive(module: CharacterConvolution, word: list[int]) -> torch.Tensor:
    edge = module.table[-1:]
    padded = torch.cat([edge, module.table[word], edge])
    windows = [
        module.bias + sum(padded[i + k] @ module.weight[k] for k in range(3))
        for i in range(len(word))
    ]
    return torch.stack(windows).max(0).values


def test_equal_to_a_loop_gradients_too() -> None:
    torch.manual_seed(0)
    words = [[3, 1, 4, 1], [5], [0, 2], [3, 1, 4, 1], [2, 2, 2]]
    module = CharacterConvolution(6, 7).double()
    torch.nn.init.normal_(module.bias)
    characters = torch.tensor([c for word in words for c in word])
    found = module(characters, torch.tensor([len(word) for word in words]))
    expected = torch.stack([naive(module, word) for word in words])
    assert torch.allclose(found, expected)
    weights = torch.randn_like(found)
    parameters = list(module.parameters())
    ours, theirs = (torch.autograd.grad((x * weights).sum(), parameters) for x in (found, expected))
    assert all(torch.allclose(a, b) for a, b in zip(ours, theirs, strict=True))
