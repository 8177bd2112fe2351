"""Which words a group of sentences is about: TF-IDF, TextRank, and what tells it from another group."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from tiltmeter.language.words import Words, content_words, jieba_analysis

Ranked = list[tuple[str, float]]
"""Words with their weights, the heaviest first."""

_WINDOW = 5
"""Words that stand this near to each other are neighbours in the graph of TextRank, as in jieba."""


def tf_idf(sentences: Sequence[str], others: Sequence[str], *, segmenter: str, lang: str) -> Ranked:
    """The words of the sentences by how often they stand there, times how rare they are.

    Chinese: jieba's own, with its table of rarity. Other languages: rarity among these sentences and the others,
    log((1 + N) / (1 + n)) + 1, as scikit-learn has it.
    """
    if segmenter == "rjieba":
        found: Ranked = jieba_analysis().extract_tags("\n".join(sentences), topK=None, withWeight=True)
        return found
    from sklearn.feature_extraction.text import TfidfVectorizer

    if not sentences:
        return []
    vectoriser = TfidfVectorizer(analyzer=content_words(segmenter, lang), norm=None)
    try:
        vectoriser.fit([*sentences, *others])
    except ValueError:  # stop words only
        return []
    weights = np.asarray(vectoriser.transform(sentences).sum(axis=0)).ravel()
    return _heaviest(dict(zip(vectoriser.get_feature_names_out(), weights.tolist(), strict=True)))


def text_rank(sentences: Sequence[str], *, segmenter: str, lang: str) -> Ranked:
    """The words by their PageRank among those that they stand near to (Mihalcea and Tarau 2004), as jieba has it."""
    if segmenter == "rjieba":
        text = "\n".join(sentences)
        found: Ranked = jieba_analysis().textrank(text, topK=None, withWeight=True) if text else []
        return found
    jieba_analysis()
    from jieba.analyse.textrank import UndirectWeightedGraph

    near: Counter[tuple[str, str]] = Counter()
    cut = content_words(segmenter, lang)
    for sentence in sentences:
        words = cut(sentence)
        for place, word in enumerate(words):
            near.update((word, other) for other in islice(words, place + 1, place + _WINDOW))
    if not near:
        return []
    graph = UndirectWeightedGraph()
    for (word, other), weight in near.items():
        graph.addEdge(word, other, weight)
    return _heaviest(graph.rank())


def distinctive(sentences: Sequence[str], others: Sequence[str], *, segmenter: str, lang: str) -> Ranked:
    """The words that stand more often in these sentences than in the others, by the z of their log-odds ratio.

    With a Dirichlet prior from all sentences together (Monroe, Colaresi and Quinn 2008), a_w = count of w in both:

        d_w = log((y_w + a_w) / (n + a - y_w - a_w)) - the same of the others
        z_w = d_w / sqrt(1 / (y_w + a_w) + the same of the others)
    """
    cut: Words = content_words(segmenter, lang)
    counts = [Counter(word for sentence in some for word in cut(sentence)) for some in (sentences, others)]
    prior = counts[0] + counts[1]
    total = prior.total()
    here, there = (_log_odds(own, prior, total) for own in counts)
    scores = {
        word: (here[word][0] - there[word][0]) / (here[word][1] + there[word][1]) ** 0.5
        for word in counts[0]
        if len(prior) > 1 and counts[1]
    }
    return [entry for entry in _heaviest(scores) if entry[1] > 0]


def _log_odds(own: Counter[str], prior: Counter[str], total: int) -> dict[str, tuple[float, float]]:
    """Of every word its log-odds and their variance."""
    whole = own.total() + total
    return {
        word: (float(np.log((own[word] + a) / (whole - own[word] - a))), 1 / (own[word] + a))
        for word, a in prior.items()
        if whole > own[word] + a
    }


def _heaviest(weights: dict[str, Any]) -> Ranked:
    return sorted(((word, float(weight)) for word, weight in weights.items()), key=lambda entry: (-entry[1], entry[0]))
