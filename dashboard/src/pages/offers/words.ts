/** What the API says in one word, said to people. Words that are not known are shown as they are. */

const REASONS: Record<string, string> = {
  // of sets without an offer, and of skipped ones
  not_in_plan: "not in the round: signed up, or moved, after it began",
  nobody_eligible: "nobody was left who suits, by their own rules and the minimum score",
  all_removed: "everybody who was chosen was removed before nine: blocked, suspended or unmatched",
  not_active: "the account was not active at nine",
  missed: "the day was over before the set could be made",
  // of those who are in no snapshot
  unknown: "there is no such user",
  pending_verification: "not verified yet",
  suspended: "suspended",
  deleted: "deleted",
  questionnaire_pending: "has not finished the questionnaire",
  no_timezone: "has no time zone",
  no_profile: "the profile lacks a birth date, a gender or a place",
  other_questions: "has answered another version of the questions",
  came_later: "came after the round had begun",
  no_round_yet: "no round has been made yet",
  // of pairs
  oneself: "nobody is offered to themselves",
  no_place: "one of them has as many active matches as are allowed",
  underage: "one of them is under age",
  gender: "one of them seeks other genders",
  age: "one of them is outside the other's age range",
  intent: "they look for different things",
  distance: "too far from each other",
};

export function reasonOf(word: string): string {
  return REASONS[word] ?? word.replaceAll("_", " ");
}

const WHYS: Record<string, string> = {
  return: "the other has accepted already",
  mutual: "both are shown each other",
  one_sided: "fills an empty place",
  reserve: "from the reserve, for somebody who was removed",
  anchor: "the best of the week",
};

export function whyOf(word: string): string {
  return WHYS[word] ?? word.replaceAll("_", " ");
}
