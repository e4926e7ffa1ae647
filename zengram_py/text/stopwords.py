# ruff: noqa: RUF001
"""Stop words: words so common that finding them says nothing.

They are indexed like all others, so that "to be or not to be" is found as a phrase; only the scoring of a question leaves
them out, if it has other words. The English list is the one that PostgreSQL and many others use (from the Snowball project);
the other lists are the commonest articles, pronouns, prepositions, conjunctions and auxiliary verbs. A language without a list
has no stop words: the weights of common words are small anyway.
"""

from __future__ import annotations

from functools import cache

from .characters import fold_accents, fold_case

_ENGLISH = """i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves what which who whom this that these those am is are was were be been being
have has had having do does did doing a an the and but if or because as until while of at by for with about against between
into through during before after above below to from up down in out on off over under again further then once here there when
where why how all any both each few more most other some such no nor not only own same so than too very s t can will just don
should now"""

_LISTS = {
    "english": _ENGLISH,
    "porter": _ENGLISH,
    "german": """der die das den dem des ein eine einen einem einer eines und oder aber wenn als wie ist sind war waren bin bist
        sein seine ihr ihre ich du er sie es wir mich dich sich uns euch mir dir ihm ihnen nicht kein keine auch noch nur schon in
        im an am auf aus bei mit nach von vom zu zum zur für über unter um durch vor hat habe haben hatte hatten wird werden wurde
        kann so dass daß was wer wo man dieser diese dieses""",
    "french": """le la les l un une des du de d et ou mais donc car ni que qui quoi dont où ce cet cette ces c je j tu il elle on
        nous vous ils elles me m te t se s lui leur y en ne n pas plus au aux à dans par pour sur avec sans sous est sont était
        été être a ai as ont avait avoir son sa ses mon ma mes ton ta tes notre votre nos vos leurs qu si""",
    "spanish": """el la los las un una unos unas lo al del de y e o u pero si que quien cual como cuando donde en por para con sin
        sobre entre a ante desde hasta yo tú él ella nosotros ellos ellas me te se nos le les su sus mi mis tu tus es son era
        fue ser estar está han ha he hay no ni más muy ya también este esta estos estas ese esa eso""",
    "italian": """il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal dalla in nel
        nella con su sul sulla per tra fra e ed o ma se che chi cui non come io tu lui lei noi voi loro mi ti si ci vi ne è sono
        era ha ho hanno essere avere questo questa quello quella suo sua mio mia più anche""",
    "portuguese": """o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com sem sobre entre e ou mas se
        que quem como quando onde eu tu ele ela nós eles elas me te lhe seu sua seus suas meu minha é são era foi ser estar está
        há tem não mais muito já também este esta isso esse essa ao aos à""",
    "dutch": """de het een en of maar als dat die dit deze is zijn was waren ben ik jij je u hij zij ze wij we mij hem haar ons hun
        niet geen ook nog maar van in op aan met voor door om te tot bij uit over onder naar er heeft had hebben wordt werd kan
        zal wat wie waar hoe zo""",
    "swedish": """och att det i en jag hon som han på den med var sig för så till är men ett om hade de av icke mig du henne då sin
        nu har inte hans honom där sitt man vid kunde något från ut när efter upp vi dem vara vad över än här ha mot under""",
    "danish": """og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu
        over da fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind når være""",
    "norwegian": """og i jeg det at en et den til er som på de med han av ikke der så var meg seg men har om vi min hadde hun nå over
        da ved fra du ut sin dem oss opp man hans hvor eller hva skal selv her alle vil ble kunne inn når være for""",
    "finnish": """ja on ei se että oli hän joka mutta ovat kun niin myös tai jos kuin minä sinä me te he ne tämä nämä olla mikä
        kuka sen sitä""",
    "russian": """и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня
        еще нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь опять уж вам ведь там потом себя
        ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под это этот
        при об""",
    "turkish": "ve bir bu da de için ile o ne mi mı mu mü ben sen biz siz onlar ama gibi daha çok en her şu ki ya",
    "hungarian": "a az és hogy nem is egy ez de van volt meg ki csak ha mint már azt vagy el be fel le én te ő mi ti ők",
    "romanian": "și sau dar că nu este sunt era în pe la de din cu pentru un o al ai ale a îl îi se ce care eu tu el ea noi voi",
}
_CONTRACTED = frozenset(
    (
        "isn",
        "aren",
        "wasn",
        "weren",
        "hasn",
        "haven",
        "hadn",
        "doesn",
        "didn",
        "wouldn",
        "couldn",
        "shouldn",
        "mustn",
        "won",
        "ain",
        "let",
    )
)
_ENDINGS = frozenset(("t", "s", "re", "ve", "ll", "d", "m"))


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, without case and accents; none for a language without a list."""
    return frozenset(fold_accents(fold_case(word)) for word in _LISTS.get(language, "").split())


def is_stop_word(word: str, language: str) -> bool:
    """Return whether a folded word is a stop word of a language; English contractions (``don't``, ``what's``) are."""
    words = stop_words(language)
    if word in words:
        return True
    if "'" not in word or language not in ("english", "porter"):
        return False
    head, _, ending = word.partition("'")
    return ending in _ENDINGS and (head in words or head in _CONTRACTED)
