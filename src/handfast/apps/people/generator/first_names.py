"""What made-up people are called, and what they say of themselves."""


def _listed(said: str, between: str | None = None) -> list[str]:
    return [" ".join(one.split()) for one in said.split(between)]


FEMALE = _listed(
    """Ada Aisha Alba Amara Amelie Ana Anika Astrid Bea Camila Carmen Chiara Clara Dalia Elif Elena
    Emma Esther Farah Freya Grace Greta Hana Helena Ida Ines Ingrid Isla Jasmin Joana Julia
    Karin Lea Leila Lena Lin Lucia Maja Mara Maria Mei Mila Mira Nadia Naomi Nia Nina Noor Olga
    Paula Petra Priya Rosa Ruth Sara Selin Sofia Tara Uma Vera Wanjiku Yara Yuki Zoe"""
)
MALE = _listed(
    """Adam Ahmed Akira Alejandro Amir Anders Anton Arjun Ben Bruno Carlos Chidi Daniel David Diego
    Emil Emre Enzo Erik Felix Finn Gabriel George Hassan Henrik Hiro Ibrahim Ivan Jakob James
    Jan Joao Jonas Jose Juan Kofi Lars Leo Liam Luca Lukas Marco Mateo Max Milan Musa Nikolai
    Noah Oliver Omar Oscar Pablo Paul Rafael Ravi Samuel Sven Tarek Theo Tom Tomas Victor Wei
    Yusuf"""
)
ANYBODY = _listed(
    """Alex Ari Charlie Dana Eden Jamie Jo Kai Kim Luca Morgan Nico Quinn Robin Rowan Sam Sasha Sky
    Toni Yael"""
)
WORK = _listed(
    """a baker, a bicycle mechanic, a civil engineer, a cook, a dentist, a gardener, a geologist, a
    midwife, a nurse, a piano tuner, a pilot, a potter, a programmer, a school teacher, a stage
    designer, a tram driver, a translator, a vet, an accountant, an archivist, an architect, an
    electrician, an optician, studying law, studying medicine""",
    ",",
)
LIKES = _listed(
    """bad puns, board games, cold lakes, crosswords, dogs of any size, early trains, fresh bread,
    jazz, long walks, maps, mountain huts, old cinemas, open windows, rain on a roof, salsa,
    second-hand books, strong coffee, swimming, vegetable markets, wild garlic""",
    ",",
)
