"""Treebanks and texts to Docs, and Docs back to files.

From a treebank to a `.spacy` file (`spacy structparse convert`):

1. `input_files` plans the outputs, and which files are joined (`options.TreebankPart`).
2. `conllu` and `penn_brackets` read sentences (`docs.TreebankSentence`), bad ones with a problem.
3. `convert` joins the two layers of a sentence, and lists in a `report` what it leaves out.
4. `docs` makes a Doc of one or more sentences. `conllu_columns` keeps with it those parts of the
   CoNLL-U lines that no attribute of spaCy holds.

From any file to any other (`spacy structparse parse`):

1. `input_files` finds the files of folders, and `readers` knows the kinds of files: treebanks as
   above, `docbins`, `sentence_tables` (parquet), and `text_readers` of `text_lines`. All of them
   yield a `report.Document`.
2. `pipeline_outputs` strips a Doc of what the pipeline will predict.
3. `memory_zone` cuts documents into batches for the pipeline.
4. `writers` write Docs in any format, CoNLL-U by `conllu_writer`. `document_ids` has what a Doc
   keeps of its source.

For training: `reader`, `parallel`, `augment` and `curriculum` are what configs name, and
`jackknife` predicts tags.
"""
