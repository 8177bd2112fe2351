"""English her is him or his, and his is her or hers: told from the words around."""

import re
from dataclasses import dataclass
from typing import Literal


def him_or_his(text: str, start: int, end: int) -> Literal["him", "his"]:
    """What `her` at this place is for a man: `his` before the noun it belongs to, else `him`.

    The rule: nothing, a mark or a function word behind it makes it an object (saw her, told her that, gave her the);
    so do bare verbs (let her go) and adverbs that end the phrase (knew her well.). Words that may be either a verb or
    a noun (cry, work), -ing forms, and adjectives (made her happy) are decided by the verb before. All else is taken
    for the noun or its adjectives: her house.
    """
    around = _around(text, start, end)
    before, word, after = around.before, around.word, around.after
    if around.quoted:
        return "him" if before in _NAMING else "his"
    if not word:
        return "him"
    if (word == "his" and text[end] == "/") or (word == "or" and after == "his"):
        return "his"  # her or his child
    if word in _VERBS_BEFORE:
        return "him" if before in _VERBS_BEFORE[word] else "his"
    if word == "might" and before == "all":
        return "his"
    is_object = (
        word in _FUNCTION
        or word in _BARE_VERBS
        or (word in _PHRASE_ENDS and _ends(after))
        or (word in _DOINGS and before in _CAUSING)
        or (word in _SEEN_DOINGS and before in _FINDING)
        or (word in _GIFTS and before in _GIVING)
        or (word in _STATES and before in _MAKING and _ends(after))
        or (word.endswith("ly") and word not in _LY_NOUNS and _ends(after))
        or (word.endswith("ing") and word not in _ING_NOUNS and before in _FINDING)
        or (
            len(word) > 4
            and word.endswith("ed")
            and not word.endswith("eed")
            and before in _FINDING | _MAKING
            and _ends(after)
        )
    )
    return "him" if is_object else "his"


def her_or_hers(text: str, start: int, end: int) -> Literal["her", "hers"]:
    """What `his` at this place is for a woman: `hers` where no noun follows (the book is his; a friend of his who)."""
    around = _around(text, start, end)
    word, after = around.word, around.after
    if around.quoted or word in _POSSESSIVES:
        return "her"
    if word in ("or", "and") and after in _POSSESSIVES:
        return "her"  # his or her child
    if not word or (around.before == "of" and word in _DONE):
        return "hers"
    return "hers" if word in _FUNCTION - _NOUNS_TOO else "her"


@dataclass(frozen=True, slots=True)
class _Around:
    """The words next to a place, in lower case; nothing where a mark comes first."""

    before: str
    word: str
    after: str
    quoted: bool
    """Whether a quotation begins behind it."""


_SPACE = r"(?:[^\S\n]|\n(?!\s*\n))+"
"""White space inside a paragraph."""
_BEFORE = re.compile(rf"([^\W\d_]+){_SPACE}$")
_NEXT = re.compile(rf"{_SPACE}\(?([^\W_]+)(?:['’][^\W\d_]+)?(-?)|/([^\W\d_]+)()")
_QUOTE = re.compile(r"\s+[\"“‘«']\w")


def _around(text: str, start: int, end: int) -> _Around:
    found = _BEFORE.search(text, max(0, start - 24), start)
    before = found[1].lower() if found else ""
    first = _NEXT.match(text, end)
    if first is None:
        return _Around(before, "", "", _QUOTE.match(text, end) is not None)
    word = (first[1] or first[3]).lower()
    if first[2]:  # her then-boyfriend, her well-known book: a compound stands before a noun
        return _Around(before, f"{word}-", "", False)
    second = _NEXT.match(text, first.end())
    return _Around(before, word, (second[1] or second[3]).lower() if second else "", False)


def _ends(after: str) -> bool:
    """Whether the phrase ends here: nothing, a mark or a function word follows."""
    return not after or after in _FUNCTION or after in ("every", "one", "much", "well", "little")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_POSSESSIVES = _words("my your his her our their")

_FUNCTION = (
    _POSSESSIVES
    # articles, determiners and pronouns
    | _words("""a an the this that these those some any no each either neither both all another such enough
        its i you he she it we they me him us them mine yours hers ours theirs myself yourself himself herself
        itself ourselves themselves something anything nothing everything someone anyone everyone somebody
        anybody everybody nobody none what whatever who whom whose which whoever""")
    # prepositions and particles
    | _words("""about above across after against along alongside amid among amongst around as aside at away
        before behind below beneath beside besides between beyond by despite down during except for from in
        into like near of off on onto out over per regarding round since than through throughout
        till to toward towards under underneath until unto up upon versus via with within without forward apart""")
    # conjunctions and question words
    | _words("""and or but nor so yet because although though while whereas if unless whether when whenever
        where wherever why how lest""")
    # verbs that need another, and said
    | _words("""am is are was were be been do does did has had have would shall should can could may might
        must cannot ought isn wasn aren weren don doesn didn hasn hadn haven won wouldn couldn shouldn says said""")
    # adverbs of time and place and the like
    | _words("""again ago ahead alone already also anyway anymore anywhere elsewhere everywhere here there
        however indeed instead maybe meanwhile nowhere perhaps please sometime sometimes somewhere somehow
        therefore thus today together tomorrow tonight too twice yesterday forever forth afterwards afterward
        abroad overseas upstairs downstairs downtown not even aboard indoors outdoors""")
    # adjectives that stand before no noun
    | _words("alive asleep awake afraid ashamed aware unable able")
)
"""Words that no possessive stands before. Nouns as often as not: her will, her needs, her past, her one regret."""

_NOUNS_TOO = _words("like down round might")
"""Function words that are a noun or an adjective where they stand behind `his`."""

_DONE = _words("""came went told got gave took made knew called asked saw died lived worked wrote became
    thought wanted""")
"""What somebody did, a friend of his for one."""

_PHRASE_ENDS = _words("""well better more most less least now then once still ever never always very almost
    just often only much fast hard further far soon sooner later earlier rather inside outside""")
"""Words that end a phrase (knew her well) or stand before an adjective or a noun (her well known book)."""

_BARE_VERBS = _words("""go leave know understand find get become come see make keep take think believe speak
    learn choose realize realise bring eat sit die lose grow forget remember avoid survive achieve forgive marry
    explain enter continue begin decide accept agree happen seem appear meet hear tell ask give join relax
    recover apologize apologise breathe succeed settle carry wear""")

_SEEN_DOINGS = _words("""cry laugh smile walk dance play run stand scream sing sob sigh whisper jump fall
    drop stumble climb drown fight swim slip faint""")
_DOINGS = _SEEN_DOINGS | _words("""sleep work talk look rest move feel pass pay lie escape return stay wait
    wonder shiver blush wake drive study start stop try use turn help hold read write cough approach finish
    drink cook pack gasp ride suffer shine cringe hurry hide open close watch cut pick set sound hope want need
    save reach face build change live win buy throw""")
"""What may be a verb or a noun. Somebody is seen to do the former, and made to do them all."""
_CAUSING = _words("let lets letting make makes made making help helps helped helping bid bade")

_GIFTS = _words("""two three four five six seven eight nine ten twenty thirty fifty hundred many several few
    more money flowers advice permission access credit time information directions instructions lessons pleasure
    entry bail""")
_GIVING = _words("""give gives gave given giving send sends sent sending offer offers offered offering show
    shows showed shown showing teach teaches taught teaching buy buys bought buying hand handed hands bring
    brought brings lend lent owe owes owed grant granted cost costs ask asked asks promise promised allow allowed
    pay paid deny denied""")

_STATES = _words("""happy sad angry sick ill unhappy uncomfortable comfortable nervous famous popular
    jealous furious proud rich pregnant dead safe busy mad crazy responsible strong weak sure certain
    unconscious free attractive beautiful interesting guilty innocent worthy welcome available ready wrong
    stronger weaker happier angrier anxious curious suspicious uneasy dizzy hungry thirsty speechless breathless
    helpless vulnerable eligible difficult easy warm calm quiet silent dependent independent accountable
    homeless blind deaf lonely sleepy cheerful miserable special president chairman queen king captain leader
    ambassador director manager
    chief champion""")
_MAKING = _words("""make makes made making find finds found finding keep keeps kept keeping leave leaves
    left leaving consider considers considered think thinks thought drive drives drove render renders rendered
    hold held get gets got getting want wants wanted deem deemed call called calls declare declared believe
    believed elect elected appoint appointed name named crown crowned pronounce pronounced""")
_FINDING = _words("""see sees saw seen seeing watch watches watched watching hear hears heard hearing find
    finds found finding catch catches caught catching keep keeps kept keeping leave leaves left leaving imagine
    imagined notice noticed spot spotted remember picture pictured stop stopped have had discover discovered
    observe observed photograph photographed send sent show shows showed""")
_NAMING = _words("call calls called calling name named nickname nicknamed dub dubbed tell told ask asked")

_VERBS_BEFORE = {
    "back": _words("""call calls called calling hold holds held holding bring brings brought bringing want
        wants wanted take takes took taken taking send sends sent sending get gets got getting win won have had
        pull pulled push pushed drag dragged welcome welcomed follow followed lead led love loved kiss kissed
        hit text texted keep kept set pay paid drive drove accept accepted escort escorted invite invited"""),
    "home": _words("""take takes took taken taking drive drives drove driven driving bring brings brought
        bringing walk walks walked walking send sends sent sending see saw follow follows followed following
        accompany accompanied escort escorted carry carried get got invite invited"""),
    "names": _NAMING,
    "best": _words("like likes liked love loves loved suit suits suited know knows knew"),
    "right": _words("treat treats treated treating"),
}
"""Nouns that her stands before (her back), but not after these verbs (called her back)."""

_LY_NOUNS = _words("""family reply ally assembly belly bully butterfly supply jelly lily fly folly anomaly
    monopoly elderly lovely friendly lonely ugly silly holy deadly costly lively curly weekly monthly yearly
    motherly fatherly sickly homely worldly only early daily likely sly wily burly orderly kindly""")
_ING_NOUNS = _words("""wedding building training meeting painting clothing evening morning feeling meaning
    understanding ring earring king thing string wing offspring sibling darling ceiling standing writing
    handwriting spring swing sling stocking pudding being upbringing living dwelling bedding housing lodging
    drawing recording hearing""")
