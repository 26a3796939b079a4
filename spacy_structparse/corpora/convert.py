"""Treebank files to Docs and to one `.spacy` file, sentence by sentence.

`convert_treebank` writes the Docs of a `TreebankReader`, which joins the two layers of a treebank:
the dependencies of `conllu` and the trees of `penn_brackets`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from operator import ne
from pathlib import Path

from spacy.parts_of_speech import IDS
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from srsly.msgpack import Packer

from ..errors import ReadError, TreeReadError
from ..files import write_atomically
from ..trees import Tree
from ..trees.node import EMPTY_TAG, is_empty_category
from ..trees.transform import same_but_for_spelling
from .conllu import has_xpos, read_conllu
from .docs import TreebankSentence, build_doc, group_sentences
from .options import ConversionOptions, TreebankPart
from .penn_brackets import GLUED, NumberedTree, numbered_trees, read_brackets, rebuild
from .report import NO_WORDS, OTHER_WORDS, OWN_HEADS, ConversionReport, Place

# NORM is left out, so that the reading pipeline's own norms hold; entities no treebank has.
DOCBIN_ATTRS = ("ORTH", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START")
POS_TAGS = frozenset(IDS)
"""The tags that `Token.pos_` accepts: UD's tags, spaCy's own and the empty one."""
# From so many on, a majority of sentences with a fault means that the files are wrong.
MIN_FAULTS = 10
FAULTS = {
    "trees are over other tokens than the dependencies: the files do not hold the same sentences "
    "in the same order": ("token count", "words", "no tree"),
    "sentences have each word's own ID as its HEAD: the file is damaged, get it again from its "
    "distributor": (OWN_HEADS,),
    "sentences have other words than their comment `text`: get the file again from its "
    "distributor, or remove these comments if they are wrong": (OTHER_WORDS,),
    "sentences have no words, every FORM is `_`: the treebank comes without its text, which its "
    "distributor says how to add": (NO_WORDS,),
}
"""Faults that most sentences of one output must not have, with the kinds of their problems."""
MOST_MISSING = 2 / 3
"""The share of its words that may be missing in the text of a sentence."""
_SPACE = re.compile(r"\s")


def convert_treebank(
    parts: Sequence[TreebankPart],
    output: Path,
    options: ConversionOptions,
    *,
    progress: Callable[[int], object] = lambda n_sentences: None,
) -> ConversionReport:
    """Convert `parts`, in order, to the one file `output`, written whole or not at all.

    `progress` is called with the number of sentences of each Doc. Raises `ReadError` where
    nothing could be converted.
    """
    report = ConversionReport()
    # Packed here: spaCy would look for plugins of msgpack anew for every Doc.
    docs, user_data, packer = DocBin(attrs=DOCBIN_ATTRS), [], Packer(use_bin_type=True)
    vocab, n_read = Vocab(), 0
    for _, doc in TreebankReader(options, report).docs(parts, vocab):
        docs.add(doc)
        user_data.append(packer.pack(doc.user_data))
        progress(report.counts["sentences_read"] - n_read)
        n_read = report.counts["sentences_read"]
    docs.store_user_data, docs.user_data = True, user_data
    chosen = report.counts["sentences_read"] - report.counts["sentences_not_chosen"]
    for fault, kinds in FAULTS.items():
        faulty = [problem for problem in report.problems if problem.kind in kinds]
        if len(faulty) >= MIN_FAULTS and len(faulty) > chosen / 2:
            raise ReadError(f"{len(faulty)} of {chosen} {fault}. The first: {faulty[0]}")
    if not len(docs):
        files = ", ".join(str(path) for part in parts for path in part.paths)
        first = f" The first problem: {report.problems[0]}" if report.problems else ""
        if report.counts["sentences_not_chosen"] == report.counts["sentences_read"] > 0:
            first = f" No sent_id begins with what '{options.only}' matches."
        raise ReadError(f"No sentence could be converted from {files}.{first}")
    write_atomically(output, docs.to_bytes())
    return report


@dataclass
class TreebankReader:
    """Reads treebank files.

    Attributes:
        options: How sentences become Docs.
        report: Counts what was read, and lists what was left out.
        name: The name of the file in messages and places. Empty: its path.
    """

    options: ConversionOptions
    report: ConversionReport
    name: str = ""
    _without_xpos: bool = field(init=False, default=False)

    def docs(self, parts: Sequence[TreebankPart], vocab: Vocab) -> Iterator[tuple[Place, Doc]]:
        """Read the Docs of treebank files, one by one, with the places of their first sentences.

        Raises ReadError where a file is damaged, or the numbers of sentences and of trees differ.
        """
        options, counts = self.options, self.report.counts
        # One tagset in one output: UPOS stands in for XPOS in all of the files or in none.
        files = [part.conllu for part in parts if part.conllu is not None]
        self._without_xpos = options.tag_column == "xpos" and not any(map(has_xpos, files))
        for part in parts:
            for group in group_sentences(self._sentences(part), options.n_sents):
                doc = build_doc(vocab, group, options.spans_key)
                counts["docs"] += 1
                counts["tokens"] += len(doc)
                counts["sentences_written"] += len(group)
                counts["trees"] += sum(sentence.tree is not None for sentence in group)
                counts["dependencies"] += sum(sentence.has_heads for sentence in group)
                yield group[0].place, doc

    def _sentences(self, part: TreebankPart) -> Iterator[TreebankSentence]:
        """Read the sentences that can be converted."""
        starts_text = False  # whether a sentence that was left out did
        for sentence, tree in self._paired(part):
            starts_text = starts_text or sentence.starts_text
            self.report.counts["sentences_read"] += 1
            if not re.match(self.options.only, sentence.sent_id):
                self.report.counts["sentences_not_chosen"] += 1
            elif self._can_be_converted(sentence, tree, part):
                sentence.starts_text, starts_text = starts_text, False
                yield sentence

    def _paired(self, part: TreebankPart) -> Iterator[tuple[TreebankSentence, NumberedTree | None]]:
        """The sentences of a part; those of two files with their trees, by order, in which a broken
        tree counts as one."""
        conllu, brackets = part.conllu, part.brackets
        if conllu is None:
            assert brackets is not None
            sentences = read_brackets(brackets, self.options, self.name)
            yield from ((sentence, None) for sentence in sentences)
            return
        sentences = read_conllu(conllu, self.name)
        if brackets is None:
            yield from ((sentence, None) for sentence in sentences)
            return
        trees = numbered_trees(brackets)
        for sentence, tree in zip_longest(sentences, trees):
            if sentence is None or tree is None:
                raise _different_numbers(conllu, brackets)
            yield sentence, tree

    def _can_be_converted(
        self, sentence: TreebankSentence, tree: NumberedTree | None, part: TreebankPart
    ) -> bool:
        """Fit a sentence to spaCy, join it with its tree, and report what is left out of it."""
        options, report = self.options, self.report
        place, counts = sentence.place, report.counts
        counts["empty_nodes"] += sentence.n_empty_nodes
        counts["multiword_tokens"] += len(sentence.surface_tokens)
        if sentence.format_problem is not None:
            report.skip(place, "format" if part.conllu else "tree", sentence.format_problem)
            return False
        if part.conllu is None:
            counts["words_of_trees"] += len(sentence.words)
            if not options.split_lemmas:
                counts[GLUED] += sum("-" in word[1:-1] for word in sentence.words)
            _fit_to_spacy(sentence, counts)
            return True
        if len(sentence.words) > 1 and set(sentence.words) == {"_"}:
            report.add(place, NO_WORDS, NO_WORDS, "kept")
        if sentence.heads_problem is not None:
            if options.bad_heads == "skip":
                kind = OWN_HEADS if OWN_HEADS in sentence.heads_problem else "heads"
                report.skip(place, kind, sentence.heads_problem)
                return False
            counts["dependencies_left_out"] += 1
            report.add(place, "heads", sentence.heads_problem, "dependencies left out")
        if sentence.text is not None and sentence.text.split() != sentence.surface_text().split():
            counts["texts_that_differ"] += 1
            words = [*sentence.words, *(token.form for token in sentence.surface_tokens)]
            missing = [word for word in words if word not in sentence.text]
            kind, reason = "text", "the comment `text` is not what forms and SpaceAfter spell"
            if len(missing) > MOST_MISSING * len(words):
                kind, reason = OTHER_WORDS, f"words such as {missing[0]!r} are not in its `text`"
            report.add(place, kind, reason, "kept")
        report.split_words.update(
            f"{token.form} → {' '.join(sentence.words[token.start : token.end])}"
            for token in sentence.surface_tokens
        )
        if options.tag_column == "upos":
            sentence.xpos = sentence.upos
        elif self._without_xpos and part.brackets is None:
            sentence.xpos = sentence.upos
            counts["tokens_with_upos_as_tag"] += sum(map(bool, sentence.upos))
        _fit_to_spacy(sentence, counts)
        if tree is None:
            return True
        if mismatch := self._attach_tree(sentence, tree, part):
            if options.mismatch == "skip":
                report.skip(place, *mismatch)
                return False
            counts["trees_left_out"] += 1
            report.add(place, *mismatch, "tree left out")
        elif self._without_xpos and sentence.tree is not None:
            sentence.xpos = sentence.tree.tags()
            counts["tokens_with_tree_tag"] += len(sentence.xpos)
        return True

    def _attach_tree(
        self, sentence: TreebankSentence, numbered: NumberedTree, part: TreebankPart
    ) -> tuple[str, str] | None:
        """Set `sentence.tree`, or say (kind, reason) why the tree is not over its words."""
        if isinstance(numbered, TreeReadError):
            return "no tree", f"its tree is broken: {numbered}"
        options, report = self.options, self.report
        line, tree = numbered
        where = f"(the tree at {part.brackets}:{line})"
        words, leaves = sentence.words, tree.leaves()
        empty = {id(leaf) for leaf in leaves if is_empty_category(leaf.label, leaf.word or "")}
        if len(leaves) - len(empty) != len(words):
            # A text may have a word like *sigh*.
            empty = {id(leaf) for leaf in leaves if leaf.label == EMPTY_TAG}
        visible = [leaf for leaf in leaves if id(leaf) not in empty]
        if len(visible) != len(words):
            reason = f"{len(visible)} tokens in the tree, {len(words)} in the CoNLL-U {where}"
            return "token count", reason
        respelled = 0
        for leaf, word in zip(visible, words, strict=True):
            if leaf.word != word:
                if not same_but_for_spelling(leaf.word or "", word):
                    return "words", f"{leaf.word!r} in the tree is {word!r} in the CoNLL-U {where}"
                respelled += 1
        spaced = [leaf.word for leaf in visible if _SPACE.search(leaf.word or "")]
        if spaced:
            reason = f"{spaced[0]!r} in the tree holds a space character, and is one token"
            report.add(sentence.place, "space", reason, "kept")
        tokens = iter(words)
        new_leaves = [
            None if id(leaf) in empty else Tree(leaf.label, word=next(tokens)) for leaf in leaves
        ]
        sentence.tree = rebuild(tree, new_leaves, options)
        if sentence.tree is not None and options.tag_column == "xpos" and any(sentence.xpos):
            tags = sentence.tree.tags()
            report.counts["tags_that_differ"] += sum(map(ne, tags, sentence.xpos))
        report.counts["words_respelled"] += respelled
        report.counts["sentences_respelled"] += respelled > 0
        return None


def _different_numbers(conllu: Path, brackets: Path) -> ReadError:
    n_sentences, trees = sum(1 for _ in read_conllu(conllu)), list(numbered_trees(brackets))
    broken = [tree for tree in trees if isinstance(tree, TreeReadError)]
    faults = f" Of the trees {len(broken)} are broken, the first at {broken[0]}." if broken else ""
    return ReadError(
        f"{conllu} has {n_sentences} sentences and {brackets} {len(trees)} trees, so they cannot "
        f"be joined sentence by sentence.{faults} Convert one of them alone, or make them agree."
    )


def _fit_to_spacy(sentence: TreebankSentence, counts: Counter[str]) -> None:
    """Empty and count the values that spaCy cannot hold: a part of speech that is none of UD's,
    features that are not `Name=Value`."""
    if not POS_TAGS.issuperset(sentence.upos):
        counts["tokens_with_foreign_upos"] += sum(tag not in POS_TAGS for tag in sentence.upos)
        sentence.upos = [tag if tag in POS_TAGS else "" for tag in sentence.upos]
    for word, feats in enumerate(sentence.feats):
        if feats and any(part.count("=") != 1 for part in feats.split("|")):
            counts["tokens_with_foreign_feats"] += 1
            sentence.feats[word] = ""
