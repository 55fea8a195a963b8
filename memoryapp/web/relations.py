"""People and pets that the user calls by what they are: "my sister", "my dog"."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from memoryapp.subjects import slug

# One phrase each, not "your" and a noun: other languages let the two agree.
_RELATIVES: Mapping[str, Promise] = {
    "wife": pgettext_lazy("relation", "your wife"),
    "husband": pgettext_lazy("relation", "your husband"),
    "partner": pgettext_lazy("relation", "your partner"),
    "girlfriend": pgettext_lazy("relation", "your girlfriend"),
    "boyfriend": pgettext_lazy("relation", "your boyfriend"),
    "fiancé": pgettext_lazy("relation", "your fiancé"),
    "fiancée": pgettext_lazy("relation", "your fiancée"),
    "spouse": pgettext_lazy("relation", "your spouse"),
    "sister": pgettext_lazy("relation", "your sister"),
    "brother": pgettext_lazy("relation", "your brother"),
    "twin": pgettext_lazy("relation", "your twin"),
    "mum": pgettext_lazy("relation", "your mum"),
    "mom": pgettext_lazy("relation", "your mom"),
    "mother": pgettext_lazy("relation", "your mother"),
    "mama": pgettext_lazy("relation", "your mama"),
    "dad": pgettext_lazy("relation", "your dad"),
    "father": pgettext_lazy("relation", "your father"),
    "papa": pgettext_lazy("relation", "your papa"),
    "son": pgettext_lazy("relation", "your son"),
    "daughter": pgettext_lazy("relation", "your daughter"),
    "child": pgettext_lazy("relation", "your child"),
    "baby": pgettext_lazy("relation", "your baby"),
    "stepson": pgettext_lazy("relation", "your stepson"),
    "stepdaughter": pgettext_lazy("relation", "your stepdaughter"),
    "stepmother": pgettext_lazy("relation", "your stepmother"),
    "stepfather": pgettext_lazy("relation", "your stepfather"),
    "half-sister": pgettext_lazy("relation", "your half-sister"),
    "half-brother": pgettext_lazy("relation", "your half-brother"),
    "aunt": pgettext_lazy("relation", "your aunt"),
    "uncle": pgettext_lazy("relation", "your uncle"),
    "cousin": pgettext_lazy("relation", "your cousin"),
    "niece": pgettext_lazy("relation", "your niece"),
    "nephew": pgettext_lazy("relation", "your nephew"),
    "grandma": pgettext_lazy("relation", "your grandma"),
    "grandmother": pgettext_lazy("relation", "your grandmother"),
    "granny": pgettext_lazy("relation", "your granny"),
    "grandpa": pgettext_lazy("relation", "your grandpa"),
    "grandfather": pgettext_lazy("relation", "your grandfather"),
    "grandson": pgettext_lazy("relation", "your grandson"),
    "granddaughter": pgettext_lazy("relation", "your granddaughter"),
    "godson": pgettext_lazy("relation", "your godson"),
    "goddaughter": pgettext_lazy("relation", "your goddaughter"),
    "mother-in-law": pgettext_lazy("relation", "your mother-in-law"),
    "father-in-law": pgettext_lazy("relation", "your father-in-law"),
    "sister-in-law": pgettext_lazy("relation", "your sister-in-law"),
    "brother-in-law": pgettext_lazy("relation", "your brother-in-law"),
    "friend": pgettext_lazy("relation", "your friend"),
    "boss": pgettext_lazy("relation", "your boss"),
    "manager": pgettext_lazy("relation", "your manager"),
    "colleague": pgettext_lazy("relation", "your colleague"),
    "coworker": pgettext_lazy("relation", "your coworker"),
    "teammate": pgettext_lazy("relation", "your teammate"),
    "flatmate": pgettext_lazy("relation", "your flatmate"),
    "neighbour": pgettext_lazy("relation", "your neighbour"),
    "mentor": pgettext_lazy("relation", "your mentor"),
    "teacher": pgettext_lazy("relation", "your teacher"),
    "tutor": pgettext_lazy("relation", "your tutor"),
    "coach": pgettext_lazy("relation", "your coach"),
    "supervisor": pgettext_lazy("relation", "your supervisor"),
    "doctor": pgettext_lazy("relation", "your doctor"),
    "dentist": pgettext_lazy("relation", "your dentist"),
    "therapist": pgettext_lazy("relation", "your therapist"),
    "landlord": pgettext_lazy("relation", "your landlord"),
    "landlady": pgettext_lazy("relation", "your landlady"),
    "ex": pgettext_lazy("relation", "your ex"),
    "ex-wife": pgettext_lazy("relation", "your ex-wife"),
    "ex-husband": pgettext_lazy("relation", "your ex-husband"),
    "co-founder": pgettext_lazy("relation", "your co-founder"),
    "best friend": pgettext_lazy("relation", "your best friend"),
    "older sister": pgettext_lazy("relation", "your older sister"),
    "younger sister": pgettext_lazy("relation", "your younger sister"),
    "little sister": pgettext_lazy("relation", "your little sister"),
    "big sister": pgettext_lazy("relation", "your big sister"),
    "twin sister": pgettext_lazy("relation", "your twin sister"),
    "older brother": pgettext_lazy("relation", "your older brother"),
    "younger brother": pgettext_lazy("relation", "your younger brother"),
    "little brother": pgettext_lazy("relation", "your little brother"),
    "big brother": pgettext_lazy("relation", "your big brother"),
    "twin brother": pgettext_lazy("relation", "your twin brother"),
}
_PETS: Mapping[str, Promise] = {
    "dog": pgettext_lazy("pet", "your dog"),
    "cat": pgettext_lazy("pet", "your cat"),
    "puppy": pgettext_lazy("pet", "your puppy"),
    "kitten": pgettext_lazy("pet", "your kitten"),
    "rabbit": pgettext_lazy("pet", "your rabbit"),
    "hamster": pgettext_lazy("pet", "your hamster"),
    "guinea pig": pgettext_lazy("pet", "your guinea pig"),
    "parrot": pgettext_lazy("pet", "your parrot"),
    "budgie": pgettext_lazy("pet", "your budgie"),
    "fish": pgettext_lazy("pet", "your fish"),
    "tortoise": pgettext_lazy("pet", "your tortoise"),
    "horse": pgettext_lazy("pet", "your horse"),
    "ferret": pgettext_lazy("pet", "your ferret"),
}
_SPELLED: Mapping[str, str] = {
    "fiance": "fiancé",
    "fiancee": "fiancée",
    "stepmum": "stepmother",
    "stepdad": "stepfather",
    "co-worker": "coworker",
    "neighbor": "neighbour",
    "cofounder": "co-founder",
    "advisor": "supervisor",
    "nan": "granny",
    "roommate": "flatmate",
    "housemate": "flatmate",
}


def _by_slug(words: Mapping[str, Promise]) -> dict[str, Promise]:
    return {slug(word): phrase for word, phrase in words.items()}


_PHRASES = {"person": _by_slug(_RELATIVES), "pet": _by_slug(_PETS)}


def called(kind: str, word: str) -> str:
    """ "your sister" for the person "sister" or "Sister"; empty for a name, and for a word
    that isn't known."""
    name = slug(word)
    phrase = _PHRASES.get(kind, {}).get(slug(_SPELLED.get(name, name)))
    return str(phrase) if phrase is not None else ""
