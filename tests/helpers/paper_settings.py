"""What the papers say of the settings of the configs named after them.

A technique that a paper does not name counts as one that it does not have. ``SILENT`` is a value
that every such model needs and that the paper leaves open, or one without effect on what it
computes. Sections (§) are those of the paper whose config it is.
"""

from typing import Any

SILENT = "silent"

Settings = dict[str, Any]

# What no paper here has, and what it leaves open.
EMBEDDING: Settings = {
    "@architectures": "spacy-structparse.TokenEmbedding.v1",
    "width": 0,
    "use_pos": False,
    "pos_width": SILENT,
    "pos_attr": SILENT,
    "use_vectors": False,
    "tune_vectors": False,
    "lower_vectors": SILENT,
    "features": [],
    "feature_rows": [],
    "feature_width": SILENT,
    "char_width": 0,
    "relu": False,
    "word_attr": SILENT,
    "unk_prob": SILENT,
    "min_freq": SILENT,
    "max_vocabulary": SILENT,
    "vocabulary": SILENT,
    "dropout": "none",
    "unit_variance": SILENT,
}
COMPUTATION: Settings = {"bfloat16": False, "mixed_precision": False}
SGD: Settings = {
    "@optimizers": "SGD.v1",
    "L2": 0.0,
    "grad_clip": 0.0,
    "L2_is_weight_decay": False,
    "use_averages": False,
}
ADAM: Settings = {
    "@optimizers": "Adam.v1",
    "beta1": SILENT,
    "beta2": SILENT,
    "eps": SILENT,
    "L2_is_weight_decay": SILENT,
    "L2": 0.0,
    "grad_clip": 0.0,
    "use_averages": False,
}
ADADELTA: Settings = {
    "@optimizers": "spacy-structparse.AdaDelta.v1",
    "rho": SILENT,
    "eps": SILENT,
    "learn_rate": SILENT,
    "L2": 0.0,
    "grad_clip": 0.0,
    "use_averages": False,
}


def sentences(size: int | str) -> Settings:
    """A batcher that counts sentences."""
    return {"@batchers": "spacy.batch_by_sequence.v1", "size": size, "get_length": None}


# Dyer et al. (2015).
STACK_LSTM: dict[str, Settings] = {
    "components.stack_lstm_dep": {"grad_clip": 5.0},  # §4
    "components.stack_lstm_dep.model": {
        "@architectures": "spacy-structparse.StackLSTM.v1",
        "hidden_width": 100,  # §4
        "hidden_depth": 2,  # §4
        "element_width": SILENT,
        "action_width": 16,  # §4
        "state_width": 20,  # §4, "output embedding size": g_z and p_t
        "composition": True,  # §3.4
        "cell": "paper",  # §2.1, peepholes
        "root": "last",  # §3.1, at the bottom of the buffer
        "beam_width": 1,  # §5.4, greedy
        "label_smoothing": 0.0,  # Eq. 1
        "encoder_width": 0,  # §3.1
        "encoder_depth": SILENT,
        "direct": False,  # §3.1
        "exploration": 0.0,  # Eq. 1
        **COMPUTATION,
    },
    "components.stack_lstm_dep.model.tok2vec": {
        **EMBEDDING,
        "width": SILENT,
        "word_width": 32,  # §4
        "use_pos": True,  # §3.3
        "pos_width": 12,  # §4
        "pos_attr": "TAG",  # §5.1, the tags of the treebank
        "use_vectors": True,  # §3.3, fixed
        "relu": True,  # §3.3
        "unk_prob": 0.5,  # §3.3, of singletons
        "min_freq": 1,  # §3.3, every word type
        "max_vocabulary": 0,  # §3.3
        "dropout": SILENT,  # its rate is 0
    },
    "nlp": {"pipeline": ["tagger", "stack_lstm_dep"]},  # §5.1, predicted tags
    "corpora.train": {"tags": "${paths.tags}"},  # §5.1, the same in training
    "training": {"dropout": 0.0},  # §4 has none
    "training.batcher": sentences(1),  # §4
    "training.optimizer": {**SGD, "L2": 1e-6},  # §4
    "training.optimizer.learn_rate": {
        "@schedules": "decaying.v1",  # §4
        "base_rate": 0.1,  # §4
        "decay": 0.1,  # §4, by whole epochs
    },
}


# Zhou et al. (2018), whose sections have no numbers: most is in "Hyper-Parameters Choice".
def _spa(decoder: str, encoder_width: int, attention_width: int) -> dict[str, Settings]:
    return {
        "components.spa_dep": {"decoder": decoder, "grad_clip": 0.0},
        "components.spa_dep.model": {
            "@architectures": "spacy-structparse.SPA.v1",
            "encoder": "bilstm",  # "the LSTM cell can outperform the GRU cell"
            "encoder_width": encoder_width,
            "encoder_depth": 1,  # Eqs. 2 and 3
            "attention": "bot",  # Table 2
            "attention_width": attention_width,
            "scorer": "bilinear",  # "the bi-linear mode can outperform the concat mode"
            "scorer_width": SILENT,
            "label_width": SILENT,
            "distance": False,  # Eq. 8
            "head_loss": "cross_entropy",  # Eq. 10
            "hidden_width": SILENT,
            "single_root": SILENT,
            "max_cells": SILENT,
            "dropout_places": "tokens",  # "word embedding and tag embedding drop out"
            **COMPUTATION,
        },
        "components.spa_dep.model.tok2vec": {
            **EMBEDDING,
            "width": 0,  # Eq. 1, concatenated
            "word_width": 300,
            "use_pos": True,  # Eq. 1
            "pos_width": 50,
            "pos_attr": "TAG",
            "use_vectors": True,  # GloVe
            "tune_vectors": True,  # Eq. 1: E_word is learned
        },
        "training": {"dropout": 0.3},
        "training.batcher": sentences(32),
        "training.optimizer": ADAM,
    }


# Of both constituency parsers.
PARSER: Settings = {
    "@architectures": "spacy-structparse.Seq2Seq.v1",
    "reverse": SILENT,
    "heads": SILENT,
    "closing_labels": SILENT,
    "word_actions": SILENT,
    "max_run": SILENT,
    "max_depth": SILENT,
    "label_smoothing": 0.0,
    "exploration": 0.0,
    "attention_guidance": 0.0,
    "pyramid": "none",
    "pyramid_width": SILENT,
    "max_cells": SILENT,
    **COMPUTATION,
}
# Batches whose size is open, but not the order of sentences.
UNORDERED: Settings = {"@batchers": "any without an order", "get_length": SILENT}
# Vinyals et al. (2015), LSTM+A+D.
LSTM_A_D: dict[str, Settings] = {
    "components.seq2seq_constituency": {"grad_clip": 0.0},
    "components.seq2seq_constituency.scorer": {
        "@scorers": SILENT,
        "params": "COLLINS",  # §3.2, EVALB
        "gold_tags": SILENT,
        "evalb": True,  # §3.2
    },
    "components.seq2seq_constituency.model": {
        **PARSER,
        "linearization": "top_down",  # §2.2
        "encoder": "lstm",  # §2
        "encoder_width": 256,  # §2.3
        "encoder_depth": 3,  # §2.3
        "reverse": True,  # §2.3
        "attention": "probabilistic",  # §2.1
        "decoder": "lstm",  # §2
        "decoder_width": 256,  # §2.1
        "decoder_depth": 3,  # §2.3
        "cell": "paper",  # §2; h_0 is learned, and W_o has no bias
        "action_width": SILENT,
        "context_width": SILENT,
        "readout_width": 0,  # §2, W_o alone
        "closing_labels": True,  # Figure 2
        "word_actions": "one",  # §2.3, XX
        "attention_query": "current",  # §2.1, d_t
        "dropout_places": "layers",  # §2.3
        "beam_width": 10,  # §3.2
        "constrained": False,  # §3.2, malformed trees
    },
    "components.seq2seq_constituency.model.tok2vec": {
        **EMBEDDING,
        "word_width": 512,  # §2.3
        "use_vectors": True,  # §2.3
        "tune_vectors": True,  # §2.3
        "unk_prob": 0.0,  # §2.3, only words beyond the vocabulary are unknown
        "min_freq": 1,  # §2.3
        "max_vocabulary": 90_000,  # §2.3
    },
    "training": {"dropout": SILENT},
    "training.batcher": UNORDERED,
    "training.optimizer": {**ADAM, "@optimizers": "SGD.v1"},  # §2
}
# Ma et al. (2017), datt-bound.
DATT: dict[str, Settings] = {
    "components.seq2seq_constituency": {"grad_clip": 0.0},
    "components.seq2seq_constituency.model": {
        **PARSER,
        "linearization": "bottom_up",  # §3.1
        "encoder": "bigru",  # §3.3 and §4.1
        "encoder_width": 256,  # §4.1
        "encoder_depth": 1,  # §4.1
        "attention": "datt-bound",  # §3.3
        "decoder": "gru",  # §4.1
        "decoder_width": 256,  # §4.1
        "decoder_depth": 1,  # §4.1
        "cell": SILENT,
        "action_width": 512,  # §4.1
        "context_width": SILENT,
        "readout_width": SILENT,
        "attention_query": SILENT,
        "dropout_places": SILENT,
        "beam_width": 10,  # §4.1
        "constrained": True,  # Table 3
    },
    "components.seq2seq_constituency.model.tok2vec": {
        **EMBEDDING,
        "word_width": 512,  # §4.1; without pretraining and tags
        "dropout": SILENT,
    },
    "training": {"dropout": SILENT},
    "training.batcher": UNORDERED,
    "training.optimizer": {**ADAM, "@optimizers": SILENT},
}
# "Phrasal Recurrent Neural Network", §3: pRNN.
PHRASAL_LM: dict[str, Settings] = {
    "components.phrasal_lm": {
        "grad_clip": 0.0,
        "unit_gradient": True,  # §3.2
        "skip_bad_batches": True,  # §3.2
        "max_vocabulary": 10_000,  # §3.1
        "min_freq": 1,  # §3.1
        "spelling_order": 0,  # §3.1, words beyond the vocabulary are UNK
        "context_sentences": 0,  # both models restart at each sentence
    },
    "components.phrasal_lm.model": {
        "@architectures": "spacy-structparse.PhrasalLM.v1",
        "hidden_width": 200,  # §3.2
        "hidden_depth": 2,  # §3.2
        "pyramid": "lstm",  # §3.2, above the LSTMs
        "cell": "gru",  # §3.2
        "phrase_width": 200,  # §3.2
        "attention_width": SILENT,
        "feed": True,  # Eq. 4
        "summary_in_output": False,  # Eq. 4
        "max_phrase": SILENT,
        "max_cells": SILENT,
        **COMPUTATION,
    },
    "components.phrasal_lm.model.tok2vec": {
        **EMBEDDING,
        "word_width": 200,  # §3.2
        "unk_prob": 0.0,  # §3.1
        "min_freq": 1,  # §3.1
        "max_vocabulary": 10_000,  # §3.1
    },
    "training": {"dropout": 0.5, "patience": 100},  # §3.2
    "training.batcher": sentences(SILENT),
    "training.optimizer": ADADELTA,  # §3.2
}
# "Phrasal Recurrent Neural Network", §4: RNNsearch.
TRANSLATION: dict[str, Settings] = {
    "components.seq2seq_translation": {
        "grad_clip": 0.0,
        "unit_gradient": True,  # §4.2
        "skip_bad_batches": True,  # §4.2
        "max_vocabulary": 16_000,  # §4.1
        "min_freq": 1,  # §4.1
    },
    "components.seq2seq_translation.scorer": {
        "@scorers": SILENT,
        "lowercase": True,  # §4.3, case-insensitive
        "tokenize": "mteval-v11",  # §4.3
    },
    "components.seq2seq_translation.model": {
        "@architectures": "spacy-structparse.Translation.v1",
        "encoder": "bigru",  # §4.2, RNNsearch
        "encoder_width": 1000,  # §4.2
        "encoder_depth": 1,  # RNNsearch
        "decoder": "gru",  # RNNsearch
        "decoder_width": 1000,  # §4.2
        "decoder_depth": 1,  # RNNsearch
        "attention_query": "previous",  # RNNsearch
        "word_width": 620,  # §4.2
        "readout_width": SILENT,
        "pyramid": "none",  # §4.2, the baseline
        "pyramid_width": 1000,  # §4.2
        "max_cells": SILENT,
        "label_smoothing": 0.0,
        "dropout_places": "output",  # §4.2
        "max_ratio": SILENT,
        "beam_width": SILENT,
        "length_penalty": SILENT,
        **COMPUTATION,
    },
    "components.seq2seq_translation.model.tok2vec": {
        **EMBEDDING,
        "word_width": 620,  # §4.2
        "unk_prob": 0.0,  # §4.1
        "min_freq": 1,  # §4.1
        "max_vocabulary": 16_000,  # §4.1
    },
    "training": {"dropout": 0.5},  # §4.2
    "training.batcher": sentences(SILENT),
    "training.optimizer": ADADELTA,  # §4.2
}

PAPERS: dict[str, dict[str, Settings]] = {
    "stack_lstm_dep_paper": STACK_LSTM,
    "spa_dep_paper": _spa("graph", 400, 100),
    "spa_dep_paper_transition": _spa("transition", 700, 700),
    "seq2seq_constituency_lstm_a": LSTM_A_D,
    "seq2seq_constituency_datt": DATT,
    "phrasal_lm_paper": PHRASAL_LM,
    "seq2seq_translation_paper": TRANSLATION,
}
