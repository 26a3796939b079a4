"""`spacy-structparse.Corpus.v1`: spaCy's corpus reader that keeps trees and can read tags apart."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path, PurePath
from typing import Any

from spacy.errors import Errors
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Corpus, Example
from spacy.vocab import Vocab

from ..errors import ReadError
from ..tokenization.wrapped_tokenizer import WrappedTokenizer
from .augment import Augmenter, aligned_positions
from .docbins import docbin_files, read_docs
from .docs import sentences_as_docs


def create_corpus_reader(
    path: Path | None,
    *,
    gold_preproc: bool = False,
    max_length: int = 0,
    limit: int = 0,
    augmenter: Augmenter | None = None,
    tags: Path | None = None,
    repeat: dict[str, int] | None = None,
) -> Callable[[Language], Iterable[Example]]:
    """A reader of `.spacy` files like `spacy.Corpus.v1` that keeps trees where Docs are cut.

    Args:
        path: A `.spacy` file, or a folder of them. In a folder, hidden files and files with another
            suffix are not read.
        gold_preproc: Make an Example of each gold sentence, with gold tokens.
        max_length: Docs with more tokens are cut into sentences, and longer sentences left out. 0:
            no limit.
        limit: Maximum number of Docs that are read. 0: no limit.
        augmenter: An augmenter; one that changes words is wrapped in
            `spacy-structparse.keep_trees.v1`. `null`: none.
        tags: A second `.spacy` file or folder over the same tokens, whose `tag_` and `pos_` the
            parser reads, as `spacy structparse jackknife` writes it. `null`: the parser reads no
            tags but those of the pipeline.
        repeat: How often the Docs of a file are read in each epoch, by the file's name without
            `.spacy`: `{"gold": 3}` reads those of `gold.spacy` three times, and 0 leaves a file
            out. Files of one name have their folders before it: `a/news` and `b/news`. Files that
            are not named are read once.
            `null`: all are. `limit` counts each time that a Doc is read. So do frequencies that
            initialization counts, those of words and of lemmatization rules (`min_tree_freq`): no
            word of a file that is read twice has the frequency 1.

    Raises:
        ValueError: `path` is `null`. Reading raises it where `repeat` names no file of `path`,
            and where `tags` has other tokens.
        ReadError: Only reading raises it: there is no `.spacy` file at `path` or `tags`, a file
            is damaged, or no Doc of `path` can be made an Example.
    """
    if path is None:
        raise ValueError(Errors.E913)
    settings: dict[str, Any] = {"gold_preproc": gold_preproc, "max_length": max_length}
    corpus = TreeCorpus(path, limit=limit, augmenter=augmenter, **settings)
    corpus.tags, corpus.repeat = None if tags is None else Path(tags), repeat
    return corpus


class TreeCorpus(Corpus):
    """spaCy's `Corpus` whose pieces of a Doc keep their span groups; see `create_corpus_reader`."""

    tags: Path | None = None
    repeat: dict[str, int] | None = None

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the Examples, augmented, with the tags read apart on their predicted side.

        Raises ReadError where there are no files and where there are no Examples: every score of
        them would be 0. spaCy makes all readers of a config, those that it does not read too, so
        that files are looked for here.
        """
        has_pieces = False
        for reference, tagged in self._documents(nlp):
            pieces = list(self._pieces(reference))
            has_pieces = has_pieces or bool(pieces)
            whole = [len(piece) for piece in pieces] == [len(reference)]
            documents = [reference] if whole else sentences_as_docs(pieces)
            for piece, document in zip(pieces, documents, strict=True):
                example = self._make_example(nlp, document, self.gold_preproc)
                for augmented in self.augmenter(nlp, example):
                    if tagged is not None:
                        _set_tags(augmented, document, tagged[piece.start : piece.end])
                    yield augmented
        if not has_pieces:
            raise ReadError(
                f"{self.path} has no documents or sentences of fewer than {self.max_length} tokens "
                "(max_length), and longer ones are left out"
                if self.max_length
                else f"{self.path} has no documents with words"
            )

    def read_docbin(
        self, vocab: Vocab, locs: Iterable[str | Path], spans: bool = True
    ) -> Iterator[Doc]:
        """Yield the Docs of files that are not empty, up to the limit; spans: with their span
        groups. Raises ReadError, which names the file, for one that is cut off or no `.spacy`
        file."""
        docs = (doc for loc in locs for doc in read_docs(Path(loc), vocab, spans) if len(doc))
        return islice(docs, self.limit) if self.limit >= 1 else docs

    def _make_example(self, nlp: Language, reference: Doc, gold_preproc: bool) -> Example:
        """An Example whose predicted words are the tokenizer's, or the gold ones.

        The text of the reference is that of its words: multiword tokens are split in it. A
        tokenizer that splits them would split again what is none (French *des*, the article), and
        spaCy aligns no texts that differ.
        """
        tokenizer = nlp.tokenizer
        is_split = gold_preproc or reference.has_unknown_spaces
        if is_split or not isinstance(tokenizer, WrappedTokenizer):
            return super()._make_example(nlp, reference, gold_preproc)
        return Example(tokenizer.words_of(reference.text), reference)

    def _documents(self, nlp: Language) -> Iterator[tuple[Doc, Doc | None]]:
        locs = docbin_files(self.path)
        times = self._times(locs)
        references = self.read_docbin(nlp.vocab, _repeated(locs, times))
        if self.tags is None:
            yield from ((reference, None) for reference in references)
            return
        # The files with tags have names of their own, and the order of those of the corpus.
        tag_locs = _repeated(docbin_files(self.tags), times)
        tagged_docs = self.read_docbin(nlp.vocab, tag_locs, spans=False)
        for index, (reference, tagged) in enumerate(zip_longest(references, tagged_docs)):
            tokens, others = ([token.orth for token in doc or ()] for doc in (reference, tagged))
            if tokens != others:
                raise ValueError(
                    f"doc {index} of {self.path} (from 0, without empty ones) has other tokens "
                    f"in {self.tags}: make the tags by jackknife from this file"
                )
            yield reference, tagged

    def _times(self, locs: Sequence[Path]) -> list[int]:
        """Count the reads of each file. Raises ValueError for a name in `repeat` that is not of
        one file."""
        times = [1] * len(locs)
        for name, count in (self.repeat or {}).items():
            parts = PurePath(name).parts
            ends = [loc.with_suffix("").parts[-len(parts) :] for loc in locs]
            if ends.count(parts) != 1:
                files = ", ".join(f"{loc.parent.name}/{loc.stem}" for loc in locs)
                raise ValueError(
                    f"repeat names {name}, and {ends.count(parts)} files of {self.path} end in it: "
                    f"{files}. Name one, without .spacy, if need be after its folder"
                )
            times[ends.index(parts)] = count
        return times

    def _pieces(self, reference: Doc) -> Iterator[Span]:
        """The spans of a Doc that become Examples: all of it, or its sentences."""
        whole = reference[:]
        has_sentences = reference.has_annotation("SENT_START")
        if self.gold_preproc:
            yield from reference.sents if has_sentences else [whole]
        elif self.max_length == 0 or len(reference) < self.max_length:
            yield whole
        elif has_sentences:
            yield from (sent for sent in reference.sents if len(sent) < self.max_length)


def _repeated(locs: Sequence[Path], times: Sequence[int]) -> list[Path]:
    """Each file as often as it is read; files that `times` has no number for, once."""
    padded = [*times[: len(locs)], *[1] * (len(locs) - len(times))]
    return [loc for loc, count in zip(locs, padded, strict=True) for _ in range(count)]


def _set_tags(example: Example, original: Doc, tagged: Span) -> None:
    """Put the tags of `tagged`, token by token those of `original`, on `example.predicted`.

    A predicted token that is, or is part of, one gold token gets its tag; one over several gold
    tokens with different tags gets none, like a whitespace token that an augmenter inserted.
    """
    positions = aligned_positions(original, example.reference)
    at = dict(zip(positions, tagged, strict=True))
    for token in example.predicted:
        sources = [at.get(int(position)) for position in example.alignment.x2y[token.i]]
        for name in ("tag_", "pos_"):
            values = {getattr(source, name) for source in sources if source is not None}
            if len(values) == 1:
                setattr(token, name, values.pop())
