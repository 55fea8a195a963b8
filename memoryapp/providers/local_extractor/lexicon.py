"""Word lists that rules look values up in. Lower case."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def alternatives(words: frozenset[str]) -> str:
    """A regular expression for any of the words, longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda w: (-len(w), w)))


# With a capital at the beginning of a message, and nobody's name.
NOBODY = frozenset(["mine", "ours", "hi", "hello", "hallo", "hey", "hola", "hiya", "dear"])
# Called by the relation and the name: "Grandpa Joe".
ELDERS = _words(
    "uncle, aunt, auntie, aunty, cousin, grandma, grandpa, grandad, granddad, granny, gran, nan, "
    "nana, nanna, gramps, nonna, nonno, abuela, abuelo, oma, opa, papou, yiayia, babushka, babcia"
)
RELATIONS = ELDERS | _words(
    "wife, husband, partner, girlfriend, boyfriend, fiancé, fiancée, fiance, fiancee, spouse, "
    "sister, brother, twin, mum, mom, mother, mama, dad, father, papa, son, daughter, child, baby, "
    "stepson, stepdaughter, stepmother, stepfather, stepmum, stepdad, half-sister, half-brother, "
    "niece, nephew, grandmother, grandfather, hubby, missus, halmoni, amma, appa, maman, "
    "stepbrother, stepsister, "
    "grandson, granddaughter, godson, goddaughter, mother-in-law, father-in-law, sister-in-law, "
    "brother-in-law, mother in law, father in law, sister in law, brother in law, friend, pal, "
    "buddy, bestie, boss, manager, colleague, coworker, co-worker, "
    "teammate, flatmate, roommate, housemate, neighbour, neighbor, mentor, teacher, tutor, coach, "
    "supervisor, advisor, doctor, dentist, therapist, landlord, landlady, ex, ex-wife, ex-husband, "
    "cofounder, co-founder"
)
RELATION = (
    r"(?:(?:best|close|old|older|younger|little|big|twin|eldest|youngest|oldest|middle|new|good)"
    r"[ -])?(?:" + alternatives(RELATIONS) + r")"
)
# In front of somebody who is another's: "her only brother", "his wife".
THEIR = (
    r"\b(?:her|his|their) "
    r"(?:(?:only|own|new|old|big|little|older|younger|eldest|youngest|two|three|four|\d+) )?"
)
ANIMALS = _words(
    "dog, cat, puppy, kitten, rabbit, bunny, hamster, guinea pig, parrot, budgie, canary, fish, "
    "goldfish, tortoise, turtle, snake, lizard, gecko, horse, pony, ferret, rat, mouse, chicken, "
    "hen, duck, goat, sheep, pig, hedgehog, chinchilla, cockatiel, axolotl, donkey, tabby, "
    "golden retriever, labrador, lab, poodle, beagle, bulldog, french bulldog, corgi, dachshund, "
    "greyhound, whippet, husky, border collie, collie, german shepherd, shiba inu, shiba, pug, "
    "chihuahua, spaniel, cocker spaniel, terrier, rottweiler, dalmatian, great dane, schnauzer, "
    "cockapoo, labradoodle, goldendoodle, maltese, mutt, siamese, siamese cat, maine coon, "
    "persian cat, ragdoll, bengal cat, british shorthair, sphynx"
)
ANIMAL = (
    r"(?:(?:rescue|black|white|grey|gray|brown|ginger|orange|old|young|little|small|big|tabby|male"
    r"|female|mini|miniature|elderly|beautiful|cute|lovely)[ -]){0,2}(?:"
    + alternatives(ANIMALS)
    + r")"
)
JOB_HEADS = _words(
    "head, chief, vp, "
    "engineer, developer, programmer, coder, nurse, doctor, physician, teacher, designer, manager, "
    "scientist, analyst, architect, consultant, lawyer, solicitor, barrister, accountant, auditor, "
    "writer, author, novelist, poet, editor, journalist, reporter, artist, musician, composer, "
    "chef, cook, baker, barista, professor, lecturer, researcher, director, founder, co-founder, "
    "cofounder, ceo, cto, cfo, coo, plumber, electrician, carpenter, joiner, mechanic, driver, "
    "pilot, dentist, vet, veterinarian, pharmacist, therapist, psychologist, psychiatrist, "
    "physiotherapist, paramedic, firefighter, officer, soldier, farmer, gardener, photographer, "
    "filmmaker, translator, interpreter, librarian, archivist, curator, scheduler, administrator, "
    "assistant, secretary, receptionist, clerk, cashier, salesperson, marketer,"
    " recruiter, realtor, "
    "agent, broker, banker, trader, economist, statistician, mathematician, physicist, chemist, "
    "biologist, geologist, astronomer, surgeon, radiologist, midwife, carer, caregiver, nanny, "
    "tutor, coach, trainer, instructor, contractor, builder, welder, tailor, hairdresser, barber, "
    "waiter, waitress, bartender, technician, planner, coordinator, strategist, specialist, "
    "supervisor, intern, apprentice, postdoc, sysadmin, tester, producer, actor, actress, dancer, "
    "singer, potter, illustrator, animator, copywriter, streamer, judge, attorney, paralegal, "
    "beekeeper, florist, bookkeeper, optician, surveyor, entrepreneur, freelancer, student, "
    "phd student, undergraduate, social worker, civil servant, flight attendant, product owner, "
    "team lead, tech lead, housewife, homemaker, stay-at-home mum, stay-at-home mom, "
    "stay-at-home dad, shopkeeper, estate agent, postman, courier, cleaner, janitor, miner, "
    "fisherman, sailor, captain, biochemist, epidemiologist, historian, sociologist, linguist"
)
NOT_A_JOB = _words(
    "beginner, amateur, aspiring, wannabe, former, ex, retired, terrible, bad, good, great, big, "
    "huge, decent, horrible, awful, real, true, better, perfect, hopeless, lousy, natural, fast, "
    "slow, visual, lifelong, would-be, future, fellow, keen, avid, home, armchair, self-confessed"
)
DIETS = _words(
    "vegetarian, vegan, pescatarian, pescetarian, flexitarian, keto, paleo, halal, kosher, "
    "gluten-free, gluten free, dairy-free, dairy free, lactose-free, lactose free, low-carb, "
    "low carb, plant-based, mediterranean, raw vegan, sugar-free, whole30, low-fodmap, low fodmap, "
    "teetotal, a vegetarian, a vegan, a pescatarian"
)
CONDITIONS = re.compile(
    r"(?:(?:type (?:1|2|one|two) )?diabetes|diabetic|asthma(?:tic)?|epilep(?:sy|tic)|anemi[ac]"
    r"|anaemi[ac]|hypertension|high blood pressure|arthritis|rheumatoid arthritis|migraines?"
    r"|ibs|crohn's(?: disease)?|colitis|c(?:o)?eliac(?: disease)?|adhd|autis(?:m|tic)|depression"
    r"|anxiety|bipolar(?: disorder)?|ocd|ptsd|insomnia|eczema|psoriasis|endometriosis|pcos|hiv"
    r"|cancer|lupus|fibromyalgia|sleep apnea|sleep apnoea|tinnitus|hypothyroidism|scoliosis"
    r"|multiple sclerosis|parkinson's(?: disease)?|a heart condition|a pacemaker|dyslexi[ac]"
    r"|high cholesterol|gout|long covid|chronic (?:\w+ ){0,2}(?:pain|fatigue|syndrome|disease))"
)
MEDICATIONS = re.compile(
    r"(?:(?:a )?(?:low|high|small|daily) dose of )?"
    r"(?:sertraline|fluoxetine|citalopram|escitalopram|venlafaxine|lithium|metformin|insulin"
    r"|levothyroxine|warfarin|apixaban|ibuprofen|paracetamol|aspirin|prednisone|methotrexate"
    r"|ritalin|adderall|methylphenidate|concerta|xanax|diazepam|lorazepam|prozac|zoloft|lexapro"
    r"|antidepressants?|beta blockers?|blood thinners?|statins?|antihistamines?|birth control"
    r"|the pill|hrt|\w{3,20}(?:statin|pril|sartan|olol|prazole|azepam|oxetine|ipramine|triptan"
    r"|cillin|mycin|gliptin|gliflozin|glutide|mab))"
)
RELIGIONS = _words(
    "muslim, christian, catholic, protestant, jewish, hindu, buddhist, sikh, atheist, agnostic, "
    "mormon, orthodox, quaker, jain, bahá'í, bahai, pagan, evangelical, lutheran, methodist, "
    "baptist, anglican, a muslim, a christian, a catholic, a protestant, a hindu, a buddhist, "
    "a sikh, an atheist, an agnostic, a mormon, a quaker, practising catholic, roman catholic"
)
SEXUALITIES = _words(
    "gay, lesbian, bisexual, bi, straight, queer, asexual, pansexual, a lesbian, heterosexual, "
    "homosexual"
)
GENDERS = _words(
    "trans, transgender, nonbinary, non-binary, genderqueer, a trans woman, a trans man"
)
ACCESS = _words(
    "blind, deaf, hard of hearing, partially sighted, visually impaired,"
    " colour-blind, color-blind, "
    "colourblind, colorblind, colour blind, color blind, legally blind, a wheelchair user, "
    "in a wheelchair, disabled, paraplegic"
)
NATIONALITIES = _words(
    "american, british, english, scottish, welsh, irish, canadian, australian, indian, pakistani, "
    "bangladeshi, chinese, japanese, korean, vietnamese, thai, indonesian, malaysian, filipino, "
    "german, french, spanish, italian, portuguese, dutch, belgian, swiss, austrian, swedish, "
    "norwegian, danish, finnish, icelandic, polish, czech, slovak, hungarian, romanian, bulgarian, "
    "greek, turkish, russian, ukrainian, serbian, croatian, slovenian, estonian, latvian, "
    "lithuanian, egyptian, moroccan, nigerian, kenyan, ghanaian, ethiopian, south"
    " african, israeli, "
    "lebanese, iranian, iraqi, syrian, saudi, mexican, brazilian, argentinian, argentine, chilean, "
    "colombian, peruvian, venezuelan, cuban, new zealander, singaporean, taiwanese, nepali, "
    "kiwi, aussie, catalan, basque, "
    "sri lankan, maltese, luxembourgish, albanian, georgian, armenian, kazakh"
)
LANGUAGES = _words(
    "english, spanish, german, french, italian, portuguese, dutch, swedish, norwegian, danish, "
    "finnish, icelandic, polish, czech, slovak, hungarian, romanian, bulgarian, greek, turkish, "
    "russian, ukrainian, serbian, croatian, slovenian, estonian, latvian, lithuanian, arabic, "
    "hebrew, persian, farsi, urdu, hindi, bengali, tamil, telugu, marathi, gujarati, punjabi, "
    "malayalam, kannada, nepali, chinese, mandarin, cantonese, japanese, korean, vietnamese, thai, "
    "indonesian, malay, tagalog, swahili, amharic, yoruba, igbo, zulu, afrikaans, welsh, irish, "
    "yiddish, ladino, twi, akan, hausa, wolof, somali, oromo, tigrinya, shona, xhosa, sesotho, "
    "tswana, pashto, dari, kurdish, azerbaijani, armenian, georgian, kazakh, uzbek, mongolian, "
    "khmer, lao, burmese, sinhala, odia, assamese, konkani, maithili, sindhi, kashmiri, tibetan, "
    "hokkien, hakka, teochew, javanese, sundanese, cebuano, ilocano, hawaiian, maori, samoan, "
    "quechua, guarani, nahuatl, creole, patois, luxembourgish, flemish, breton, occitan, "
    "sardinian, scots, gaelic, frisian, maltese, albanian, macedonian, bosnian, belarusian, "
    "romani, auslan, catalan, basque, galician, latin, esperanto, british sign language, "
    "american sign language"
)
SPORTS = _words(
    "tennis, football, soccer, basketball, baseball, cricket, rugby, hockey, ice"
    " hockey, volleyball, "
    "badminton, squash, table tennis, ping pong, golf, padel, pickleball, handball, softball, "
    "lacrosse, water polo, ultimate frisbee, field hockey, netball, snooker, darts, bowling"
)
INSTRUMENTS = _words(
    "piano, guitar, violin, cello, drums, bass, bass guitar, flute, clarinet, saxophone, trumpet, "
    "trombone, harp, ukulele, banjo, mandolin, viola, oboe, accordion, harmonica, keyboard, organ, "
    "sitar, tabla, erhu, guzheng, electric guitar, acoustic guitar, french horn, recorder, bagpipes"
)
PLACES_NOT = _words(
    "it, fear, hope, peace, person, progress, general, fact, detail, details,"
    " total, advance, love, "
    "trouble, front, town, bed, hell, denial, exile, pain, luxury, harmony, sin,"
    " poverty, the moment, "
    "the past, the present, the future, the dark, the middle of nowhere"
)
NOT_NAMES = _words(
    "i, mr, mrs, ms, dr, prof, mine, ours, "
    "the, a, an, my, our, we, you, he, she, it, they, this, that, these, those,"
    " is, am, are, was, "
    "here, there, not, no, yes, ok, so, and, but, or, if, when, what, who, how, why, where, which, "
    "please, thanks, hello, hi, hey, sorry, sure, just, also, now, then, today,"
    " tomorrow, yesterday, "
    "monday, tuesday, wednesday, thursday, friday, saturday, sunday, january, february, march, "
    "april, june, july, august, september, october, november, december, god, internet, "
    "english, everyone, everybody, someone, somebody, nobody, anyone, people, life, work, home, "
    "python, java, rust, google, apple, microsoft, amazon, facebook, twitter,"
    " chatgpt, claude, gemini, "
    "deaf, blind, batman, superman, "
    "new, good, great, happy, tired, hungry, fine, back, ready, done, from, in, at, on, all, some, "
    "happy, sad, busy, bored, excited, glad, afraid, late, early, sick, ill, okay, well, interested"
)

DRINK = re.compile(
    r"(?:^|\s)(?:coffee|tea|espresso|latte|matcha|beer|wine|alcohol|gin|whisky|whiskey|rum|vodka|cider"
    r"|juice|soda|cola|coke|lemonade|kombucha|smoothies?)$"
)
# One moves between these as well.
NO_PLACE = re.compile(
    r"(?:notion|obsidian|evernote|onenote|trello|slack|github(?: actions)?|gitlab|jenkins|figma"
    r"|windows|linux|macos|android|ios|mysql|postgres\w*|spotify|aws|azure)\b"
)
