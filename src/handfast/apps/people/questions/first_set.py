"""The questions, version 1. All of our own writing.

Another version is another module and another number: answers say which one they were given to.
"""

from handfast.apps.people.questions.question import (
    Construct,
    Option,
    Question,
    QuestionSet,
    QuestionType,
    Rule,
)


def _options(**labels: str) -> tuple[Option, ...]:
    return tuple(Option(name, label) for name, label in labels.items())


def _single(
    name: str, construct: Construct, prompt: str, weight: int = 2, **labels: str
) -> Question:
    return Question(
        name,
        construct,
        QuestionType.SINGLE_CHOICE,
        Rule.SAME,
        prompt,
        options=_options(**labels),
        weight=weight,
    )


def _slider(
    name: str,
    construct: Construct,
    prompt: str,
    ends: str,
    *,
    rule: Rule = Rule.NEAR,
    weight: int = 2,
) -> Question:
    return Question(
        name,
        construct,
        QuestionType.SLIDER,
        rule,
        prompt,
        description=ends,
        min=1,
        max=7,
        step=1,
        weight=weight,
    )


def _several(name: str, construct: Construct, prompt: str, **labels: str) -> Question:
    return Question(
        name,
        construct,
        QuestionType.MULTIPLE_CHOICE,
        Rule.SHARE,
        prompt,
        description="Choose as many as fit.",
        options=_options(**labels),
    )


def _ranking(name: str, construct: Construct, prompt: str, **labels: str) -> Question:
    return Question(
        name,
        construct,
        QuestionType.RANKING,
        Rule.ORDER,
        prompt,
        description="The most important first.",
        options=_options(**labels),
    )


def _words(name: str, construct: Construct, prompt: str) -> Question:
    return Question(name, construct, QuestionType.TEXT, Rule.NONE, prompt, required=False)


_COMMUNICATION = (
    _single(
        "after_a_quarrel",
        Construct.COMMUNICATION,
        "You have quarrelled. What helps you most that evening?",
        talk="Talking until it is settled",
        space="An hour or two by myself",
        sleep="Sleeping on it and talking tomorrow",
        gesture="A small gesture, without many words",
    ),
    _slider(
        "saying_it_straight",
        Construct.COMMUNICATION,
        "Something bothers you. How directly do you say so?",
        "1: I wait until I am asked. 7: I say it at once, as it is.",
    ),
    _slider(
        "messages_a_day",
        Construct.COMMUNICATION,
        "On a day apart, how much do you want to hear from each other?",
        "1: a call every few days is plenty. 7: all day long.",
    ),
    _slider(
        "listening",
        Construct.COMMUNICATION,
        "How well do you listen when the subject does not interest you?",
        "1: my thoughts wander. 7: I could repeat every word.",
        rule=Rule.MORE,
    ),
)
_ATTACHMENT = (
    _slider(
        "time_alone",
        Construct.ATTACHMENT,
        "How much time to yourself do you need in a good week?",
        "1: hardly any. 7: several evenings.",
    ),
    _slider(
        "leaning_on_somebody",
        Construct.ATTACHMENT,
        "How easily do you lean on somebody when things go wrong?",
        "1: I sort it out alone. 7: I call before anything else.",
    ),
    _single(
        "late_answer",
        Construct.ATTACHMENT,
        "Your message has had no answer for a day. What do you think first?",
        busy="They are busy",
        wrong="Something may have happened",
        cooling="They may be losing interest",
        nothing="I have not noticed",
    ),
    _slider(
        "keeping_a_promise",
        Construct.ATTACHMENT,
        "How sure can others be that you do what you said you would?",
        "1: I mean well. 7: it is as good as done.",
        rule=Rule.MORE,
        weight=3,
    ),
)
_VALUES = (
    _ranking(
        "what_counts",
        Construct.VALUES,
        "Put these in order for the life that you want.",
        honesty="Being honest, also when it costs something",
        kindness="Being kind, also to strangers",
        ambition="Making something of one's gifts",
        freedom="Deciding for oneself",
    ),
    _slider(
        "faith",
        Construct.VALUES,
        "What part does faith have in your days?",
        "1: none at all. 7: everything rests on it.",
        weight=3,
    ),
    _slider(
        "politics",
        Construct.VALUES,
        "How much would it trouble you if your partner voted against what you vote for?",
        "1: not at all. 7: I could not live with it.",
    ),
    _single(
        "found_wallet",
        Construct.VALUES,
        "You find a wallet with money and no name in it. What do you do?",
        office="Take it to the lost property office",
        ask="Ask around where it lay",
        leave="Leave it where it is",
        keep="Keep it",
    ),
    _several(
        "causes",
        Construct.VALUES,
        "What would you give a free Saturday for?",
        animals="Animals",
        neighbours="People in my street",
        nature="Woods, rivers, the climate",
        children="Children's schools and clubs",
        arts="Music, theatre, museums",
        faith="My congregation",
        politics="A campaign that I believe in",
    ),
)
_FAMILY = (
    _single(
        "children",
        Construct.FAMILY,
        "Children?",
        weight=4,
        want="I want to have them",
        have_more="I have some, and want more",
        have_enough="I have some, and that is enough",
        none="I want none",
        open="I do not know yet",
    ),
    _slider(
        "parents_near",
        Construct.FAMILY,
        "How often should parents and siblings be part of the week?",
        "1: on holidays. 7: nearly every day.",
    ),
    _single(
        "money_together",
        Construct.FAMILY,
        "A household of two: whose is the money?",
        one="One account for everything",
        both="A common one, and one for each",
        own="Each keeps their own",
    ),
    _ranking(
        "sunday",
        Construct.FAMILY,
        "A Sunday with nothing planned. In which order would you like these?",
        family="A long table with the family",
        outdoors="Out of town, whatever the weather",
        home="At home, in old clothes",
        friends="Friends until late",
    ),
)
_LIFESTYLE = (
    _single(
        "smoking",
        Construct.LIFESTYLE,
        "Smoking?",
        weight=3,
        never="Never",
        sometimes="At parties",
        daily="Every day",
        stopping="I am giving it up",
    ),
    _slider(
        "drinking",
        Construct.LIFESTYLE,
        "How often do you drink alcohol?",
        "1: never. 7: most evenings.",
    ),
    _slider(
        "early_or_late",
        Construct.LIFESTYLE,
        "When are you at your best?",
        "1: before breakfast. 7: after midnight.",
    ),
    _slider(
        "tidiness",
        Construct.LIFESTYLE,
        "How tidy must a home be for you to be at ease?",
        "1: I do not see it. 7: everything has its place.",
    ),
    _several(
        "free_time",
        Construct.LIFESTYLE,
        "What do you spend your free time on?",
        reading="Reading",
        cooking="Cooking",
        running="Running, swimming, a gym",
        mountains="Mountains",
        music="Making music",
        games="Games",
        gardening="A garden",
        dancing="Dancing",
        travel="Far countries",
        making="Making things by hand",
    ),
    _words(
        "good_evening",
        Construct.LIFESTYLE,
        "Tell us of an evening that you would like to have again.",
    ),
)
_INTENT = (
    _single(
        "in_five_years",
        Construct.INTENT,
        "You have met the right person. Where are you both in five years?",
        weight=3,
        married="Married",
        living="Living together",
        apart="Together, each with a home of their own",
        journey="Somewhere else in the world",
        unplanned="I plan nothing that far ahead",
    ),
    _slider(
        "pace",
        Construct.INTENT,
        "How fast should things become serious?",
        "1: years, if need be. 7: one knows at once.",
    ),
    _words("not_again", Construct.INTENT, "What would you do otherwise than last time?"),
)

FIRST_SET = QuestionSet(
    1, (*_COMMUNICATION, *_ATTACHMENT, *_VALUES, *_FAMILY, *_LIFESTYLE, *_INTENT)
)
