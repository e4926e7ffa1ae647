"""Text: from words to terms, from a question to a ranking. It knows nothing of the engine, which keeps the index.

Read in this order:

    characters.py stemming.py stopwords.py    what characters and words are
    tokens.py                                 from a text to terms with positions
    query.py                                  from a question to a small tree
    lexicon.py postings.py                    where the terms of many documents lie
    corpus.py bm25.py                         what one reader sees of them, and how it is ranked
    snippets.py                               showing why something was found
"""

from .bm25 import Contribution, Explanation, Ranking, rank, score_all
from .corpus import Corpus, Weights
from .lexicon import Lexicon
from .query import AllOf, AnyOf, Clause, Not, Phrase, Prefix, Query, Term, parse_query
from .snippets import clusters, cut, highlight, matches, snippet
from .stemming import LANGUAGES
from .stopwords import stop_words
from .tokens import Analyzer, Word

__all__ = [
    "LANGUAGES",
    "AllOf",
    "Analyzer",
    "AnyOf",
    "Clause",
    "Contribution",
    "Corpus",
    "Explanation",
    "Lexicon",
    "Not",
    "Phrase",
    "Prefix",
    "Query",
    "Ranking",
    "Term",
    "Weights",
    "Word",
    "clusters",
    "cut",
    "highlight",
    "matches",
    "parse_query",
    "rank",
    "score_all",
    "snippet",
    "stop_words",
]
