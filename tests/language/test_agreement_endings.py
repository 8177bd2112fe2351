"""Spanish words that agree with a keyword and tell its gender: what is found, and what is left alone.

A sentence has its keyword in brackets; behind it stands the word that leaks, or nothing.
"""

import re
from typing import Literal

import pytest

from tiltmeter.language.agreement import Agreement, agreement_check
from tiltmeter.packs import load_pack

check = agreement_check("endings")

FEMALE = {pair.female for pair in load_pack("es").gender_pairs}

DETERMINERS = [
    ("Vimos a un [hombre] en la puerta.", "un"),
    ("La [mujer] salió temprano.", "La"),
    ("Este [niño] no come nada.", "Este"),
    ("Nuestra [hija] vive en Lima.", "Nuestra"),
    ("Ningún [padre] quiere eso.", "Ningún"),
    ("Llamé al [abuelo] por teléfono.", "al"),
    ("La casa del [tío] está lejos.", "del"),
    ("Vino otra [chica] a preguntar.", "otra"),
    ("Vino una joven [chica] a preguntar.", "una"),
    ("Es mi primer [nieto].", "primer"),
    ("Mi querida [abuela] hace el mejor pan del valle.", "querida"),
    ("Mi pobre [abuela] hace el mejor pan del valle.", ""),
    ("Su [hijo] trabaja en el puerto.", ""),
    ("Cada [mujer] de la sala tenía un plan.", ""),
    ("Tu [novio] y yo fuimos en tren.", ""),
    ("Mi [suegra] vive en el segundo piso.", ""),
    ("¿Qué [hombre] haría eso por la empresa?", ""),
]

ADJECTIVES = [
    ("Mi [hermana] está cansada.", "cansada"),
    ("Mi [hermano] pequeño juega en casa.", "pequeño"),
    ("Mi [padre] es alto y delgado.", "alto"),
    ("Mi [madre] es muy trabajadora.", "trabajadora"),
    ("Su [esposo] es español.", "español"),
    ("Su [esposa] es inglesa.", "inglesa"),
    ("De pequeño, su [abuelo] vivía en el campo.", "pequeño"),
    ("Cansada de esperar, [ella] tomó el tren.", "Cansada"),
    ("[Él] mismo abrió la puerta.", "mismo"),
    ("Mi [tía] vive sola en la costa.", "sola"),
    ("Mi [tío] vive solo en la costa.", "solo"),
    ("Mi [tío] solo quería dormir.", ""),
    ("Mi [hermana] llegó a la oficina enfadada.", "enfadada"),
    ("Mi [madre] salió de casa vestida de negro.", "vestida"),
    ("Mi [hermano] parecía buenísimo para el puesto.", "buenísimo"),
    ("Mi [hija] ya está lista.", "lista"),
    ("Mi [hija] escribió una lista larga.", ""),
    ("Su [nieta] fue elegida para el coro.", "elegida"),
    ("Su [nieto] ha sido elegido para el coro.", "elegido"),
    ("Su [nieto] había llegado tarde y comido poco.", ""),
    ("Su [yerno] podría haberse marchado antes.", ""),
    ("Mi [cuñado] es feliz y mayor que yo.", ""),
    ("Mi [cuñada] es amable, valiente e inteligente.", ""),
    ("Mi [sobrina] abrió la puerta roja.", ""),
    ("Mi [sobrina] abrió una caja grande y pesada.", ""),
    ("Mi [sobrino] compró un coche usado.", ""),
    ("Mi [sobrino] leyó un largo y aburrido informe.", ""),
    ("Mi [abuela] tiene mala suerte en el juego.", ""),
    ("Mi [abuela] es buena persona.", ""),
    ("Mi [abuela] hablaba con voz ronca.", ""),
    ("Mi [padre] trabaja en un nuevo proyecto del ayuntamiento.", ""),
    ("Mi [madre] dijo que la puerta estaba cerrada.", ""),
    ("Mi [madre] tras la cena estaba agotada.", "agotada"),
    ("La calle estaba vacía cuando llegó mi [madre].", ""),
    ("Mi [hermana] y yo estábamos cansadas.", "cansadas"),
    ("Mi [hermano] y yo estábamos cansados.", ""),
    ("Mi [hermana] contó las monedas antiguas.", ""),
    ("Mi [padre] habla claro y trabaja duro.", ""),
    ("Mi [padre] es duro con todos.", "duro"),
    ("Mi [padre] llegará pronto, por supuesto.", ""),
    ("Mi [madre] bebe el agua fría.", ""),
    ("Mi [hermana] no dijo nada en toda la cena.", ""),
    ("Mi [hija] estudia la política exterior española.", ""),
    ("Mi [hija] es la pequeña de la familia.", "la"),
    ("Mi [hijo] durmió en una tienda de campaña.", ""),
    ("Su [hijo] trabaja de lunes a sábado en el mercado.", ""),
]

PRONOUNS = [
    ("Mi [madre] sonrió cuando la vimos.", "la"),
    ("A mi [hermana] la ayudaron los vecinos.", "la"),
    ("A mi [hermano] lo esperan en el hotel.", "lo"),
    ("Quisieron ver a mi [hermana], pero nadie pudo encontrarla.", "encontrarla"),
    ("La fiscal quería a mi [padre] en la sala y mandó buscarlo.", "buscarlo"),
    ("Dejándola en la estación, mi [novia] dijo adiós.", "Dejándola"),
    ("Mi [hermano] no sabe lo que quiere.", ""),
    ("Mi [hermano] lo sabe todo.", ""),
    ("Mi [hermano] trabaja, por lo tanto, de noche.", ""),
    ("Mi [hermano] hizo lo mismo ayer.", ""),
    ("Mi [hermano] prometió hacerlo.", ""),
    ("A mi [hermana] le dieron un premio.", ""),
    ("Mi [hermana] lo compró en la tienda.", ""),
    ("Mi [hermana] fue la que ganó.", "la"),
    ("Mi [hermano], el cual vive en Roma, canta.", "el"),
    ("Mi [hermana], con la que viajo, canta.", "la"),
    ("Mi [hermana], con quien viajo, canta.", ""),
    ("Es la casa en la que nació mi [abuela].", ""),
    ("Es la razón por la que vino mi [abuela].", ""),
    ("Mi [madre] dio una charla sobre la película.", ""),
    ("Mi [madre] es una de las que firmaron.", "una"),
    ("Con la ayuda de mi [madre], todo salió bien.", ""),
]

NOUNS = [
    ("Su [hijo] trabaja como profesor.", "profesor"),
    ("Mi [hermana], abogada de oficio, viajó a Quito.", "abogada"),
    ("Mi [hermana] es una artista de circo.", "una"),
    ("Mi [hermana] es artista de circo.", ""),
    ("Mi [madre] es la directora.", "la"),
    ("Mi [padre] fue el presidente de la junta.", "el"),
    ("Mi [padre] compró un ordenador y un motor.", ""),
    ("Mi [hermana] puso la lavadora por la noche.", ""),
    ("Mi [hermana] habló con el médico.", ""),
    ("Mi [hermana] es una persona tranquila.", ""),
    ("Mi [madre] leyó la entrevista en la revista.", ""),
    ("Mi [madre] es víctima de la burocracia.", ""),
]


NEWSPAPER = [
    ("Mi [hermana] fue nombrada directora general.", "nombrada"),
    ("Su [padre], ya fallecido, fundó la empresa.", "fallecido"),
    ("Su [madre] se quedó dormida en el sofá.", "dormida"),
    ("Mi [abuelo] murió joven, rodeado de libros.", "rodeado"),
    ("Mi [tía] es la mayor de tres hermanos.", "la"),
    ("Mi [tía] es la más alta.", "la"),
    ("Su [hija] mayor estudia medicina en la universidad pública.", ""),
    ("Su [hija] menor, Premio Extraordinario, vive lejos.", ""),
    ("Mi [hermano] está seguro de que vendrá.", "seguro"),
    ("Mi [madre] se puso nerviosa.", "nerviosa"),
    ("Mi [madre] se puso la chaqueta nueva.", ""),
    ("Mi [hermana] lleva la falda roja.", ""),
    ("Mi [hermano] lleva el pelo largo y sucio.", ""),
    ("Mi [hermana] vivió en una ciudad pequeña de la costa atlántica.", ""),
    ("Mi [hermano] nació en un pueblo pequeño.", ""),
    ("Mi [padre] es un buen cocinero.", "un"),
    ("Mi [padre] es capaz, fuerte y leal.", ""),
    ("Su [novia] trabaja en la industria farmacéutica.", ""),
    ("Su [novio] estudia el sistema solar.", ""),
    ("Mi [padre] ha muerto.", ""),
    ("Mi [padre] está muerto.", "muerto"),
    ("Su [esposa] está embarazada.", "embarazada"),
    ("Conocí a mi [esposo] en un viaje organizado por la empresa.", ""),
    ("Mi [hermana] tenía la cara pálida y la voz cansada.", ""),
    ("Invitaron a mi [hermana] a la fiesta y la sentaron junto al alcalde.", "la"),
    ("Mi [hija] no quiere que nadie la llame antes de las diez.", "la"),
    ("Se rieron de mi [hijo] y él lo contó en casa.", "lo"),
    ("Mi [nieta] estaba allí, sentada en la última fila.", "sentada"),
    ("Mi [nieto] salió corriendo del colegio en medio de la tormenta.", ""),
    ("Mi [yerno] ganó el segundo premio de la lotería.", ""),
    ("Mi [suegra] compró media docena de huevos.", ""),
    ("Mi [suegra] pasó toda la noche en la sala de urgencias.", ""),
    ("A la [niña] le gusta el mar.", "la"),
    ("Otra [mujer] llamó ayer.", "Otra"),
    ("Esa misma [mujer] llamó ayer.", "Esa"),
    ("La policía detuvo a su [hijo] en la frontera.", ""),
    ("Mi [hermano] es policía.", ""),
    ("Mi [hermano] es el policía del barrio.", "el"),
    ("Mi [abuela] preparó una sopa caliente y espesa.", ""),
    ("Mi [abuela] siempre fue muy suya.", "suya"),
    ("Mi [cuñada] es una auténtica campeona.", "una"),
    ("Como buena andaluza, mi [cuñada] canta.", "buena"),
    ("Mi [sobrino] habla inglés y alemán.", ""),
    ("Mi [sobrino] es alemán.", "alemán"),
    ("Mi [sobrino] compró un diccionario alemán.", ""),
    ("Mi [abuelo] vendió el terreno a un precio muy bajo.", ""),
    ("Mi [abuelo] vivió en Argentina y en la India.", ""),
    ("Mi [abuela] vivió en Argentina y en la India.", ""),
    ("Mi [hermana] ganó la medalla de plata en la última carrera.", ""),
    ("Mi [hermana] fue la primera en llegar.", "la"),
    ("Mi [hermana] fue la única que protestó.", "la"),
    ("Mi [hermano] fue uno de los heridos.", "uno"),
    ("Mi [hermano] tiene uno de los mejores sueldos.", "uno"),
    ("Fue a mi [madre] a quien llamaron.", ""),
    ("Mi [madre], a la que todos respetan, calló.", "la"),
    ("La empresa de mi [madre] fue fundada en 1990.", "fundada"),
    ("Mi [madre] vio la película premiada en la ciudad vieja.", ""),
    ("Agotado, mi [padre] se sentó.", "Agotado"),
    ("El médico dijo que mi [padre] debía descansar.", "El"),
    ("Mi [hermana] quiere ser médica.", "médica"),
    ("Mi [hermano] quiere ser bombero.", "bombero"),
    ("Mi [hermana] tomó una decisión acertada.", ""),
    ("Mi [hermana] come poca carne y mucha verdura fresca.", ""),
    ("Mi [padre] trabajó mucho y ganó poco.", ""),
    ("Mi [padre] lo había prometido.", ""),
    ("Mi [padre] dijo que lo llamaran a cualquier hora.", "lo"),
    ("Mi [madre] quiso ayudarla.", "ayudarla"),
    ("Mi [madre] pidió que la dejaran en paz.", "la"),
    ("Mi [madre] dejó la llave a la vista.", ""),
    ("Mi [madre] leía junto a la ventana abierta.", ""),
    ("Mi [madre] lo escuchó todo desde la cocina.", ""),
    ("Mi [hijo] sacó un sobresaliente en el examen final.", ""),
    ("Mi [hijo] pasó el verano en el campo con un amigo.", "un"),
    ("Durante la guerra, su [abuela] cosía en casa.", ""),
    ("Por la mañana, mi [hija] saca al perro.", ""),
    ("Mi [hijo] es el del jersey azul.", "el"),
    ("Su [hermana] gemela vive en París.", "gemela"),
    ("Ninguna [madre] haría eso.", "Ninguna"),
    ("Desde abril vivo con mi [padre] en las afueras.", ""),
    ("Mi [padre] sigue vivo.", "vivo"),
    ("Su [hermano] es músico.", "músico"),
    ("Su [hermana] escucha música clásica.", ""),
    ("La foto de mi [madre] cansada es de junio.", "cansada"),
    ("Su [hija] es ya adulta.", "adulta"),
    ("Su [hijo] tuvo un problema técnico.", ""),
    ("Mi [hermana] tarda mucho en contestar.", ""),
    ("Todo [padre] quiere lo mejor.", "Todo"),
]


@pytest.mark.parametrize(("marked", "leak"), [*DETERMINERS, *ADJECTIVES, *PRONOUNS, *NOUNS, *NEWSPAPER])
def test_the_first_word_that_tells_the_gender_is_named(marked: str, leak: str) -> None:
    assert _check(marked).leak == leak


def test_the_span_and_the_opposite_are_returned_as_given() -> None:
    assert check("Mi hija canta.", (3, 7), "female", "hijo") == Agreement("", (3, 7), "hijo")
    assert check("La hija canta.", (3, 7), "female", "hijo") == Agreement("La", (3, 7), "hijo")


def test_a_word_of_the_other_gender_tells_nothing() -> None:
    assert _check("Mi [hermana] lo encontró cansado en un banco.").leak == ""
    assert _check("Mi [hermano] la encontró cansada en una silla.").leak == ""


def test_the_packs_own_neutral_sentences_are_neutral() -> None:
    """Read with both words: what stands in the pack was checked by hand."""
    found = []
    for row in load_pack("es").neutral_sentences:
        assert row.parts
        before, male, female, behind = row.parts
        for gender, word, other in (("male", male, female), ("female", female, male)):
            span = (len(before), len(before) + len(word))
            told = check(before + word + behind, span, "male" if gender == "male" else "female", other)
            if told.leak:
                found.append((told.leak, before + word + behind))
    # The engine is careful rather than lax: it may refuse some that a reader lets pass.
    assert len(found) <= 0.1 * 2 * len(load_pack("es").neutral_sentences), found


def _check(marked: str) -> Agreement:
    found = re.search(r"\[(\w+)\]", marked)
    assert found
    gender: Literal["male", "female"] = "female" if found[1].lower() in FEMALE else "male"
    return check(marked.replace("[", "").replace("]", ""), (found.start(), found.end() - 2), gender, "")
