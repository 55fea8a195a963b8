"""French."""

MARKERS = (
    "le la les un une je mon ma mes est était sont ai as a de du des que qui en et ou mais ne "
    "pas avec pour ce cette il elle nous vous au aux dans sur depuis suis habite"
)
SERIES = {
    "M": (
        1,
        "janvier,janv,jan|février,fév,févr|mars|avril,avr|mai|juin|juillet,juil|août,aout"
        "|septembre,sep|octobre,oct|novembre,nov|décembre,déc",
    ),
    "D": (0, "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"),
    "i": (9, "sept"),
    "l": (0, "lun||mer|jeu|ven|sam|dim"),
    "w": (
        0,
        "les lundis|les mardis|les mercredis|les jeudis|les vendredis|les samedis|les dimanches",
    ),
    "N": (
        0,
        "zéro||deux|trois,quelques,plusieurs|quatre|cinq|six|sept|huit|neuf|dix|onze|douze"
        "|treize|quatorze|quinze|seize|dix-sept|dix-huit|dix-neuf|vingt|vingt et un,vingt-et-un"
        "|vingt-deux|vingt-trois|vingt-quatre|vingt-cinq|vingt-six|vingt-sept|vingt-huit"
        "|vingt-neuf|trente|trente et un,trente-et-un",
    ),
    "O": (1, "premier,première,1er|deuxième,seconde|troisième|quatrième|cinquième|sixième"),
    "S": (0, "printemps|été|automne|hiver"),
}
WORDS = {
    ("N", 40): "quarante",
    ("N", 50): "cinquante",
    ("N", 60): "soixante",
    ("N", 0.5): "demi|demie|une demi",
    ("1", 1): "un|une",
    ("U", "second"): "secondes|sec",
    ("U", "minute"): "minute|minutes|min",
    ("U", "hour"): "heure|heures",
    ("U", "day"): "jour|jours|journée|journées",
    ("U", "workday"): "jours ouvrables|jours ouvrés|jour ouvrable|jour ouvré",
    ("U", "week"): "semaine|semaines",
    ("U", "weekend"): "week-end|weekend|week-ends|weekends|week end|fin de semaine",
    ("U", "month"): "mois",
    ("U", "quarter"): "trimestre|trimestres",
    ("U", "year"): "an|ans|année|années",
    ("U", "decade"): "décennie|décennies",
    ("U", "century"): "siècle|siècles",
    ("T", (8, 12)): "matin|du matin|le matin|au matin|matinée|dans la matinée|ce matin",
    ("T", (12, 16)): (
        "après-midi|de l'après-midi|l'après-midi|dans l'après-midi|apres midi|cet après-midi"
    ),
    ("T", (16, 20)): "soir|du soir|le soir|soirée|en soirée|dans la soirée|ce soir",
    ("T", (20, 24)): "nuit|la nuit|dans la nuit|de la nuit",
    ("H", (12, 0)): "midi|à midi",
    ("H", (0, 0)): "minuit|à minuit",
    ("R", 0): "aujourd'hui|ce jour",
    ("R", 1): "demain|le lendemain",
    ("R", -1): "hier|la veille",
    ("R", 2): "après-demain|après demain",
    ("R", -2): "avant-hier|avant hier",
    ("R", (0, (8, 12))): "ce matin",
    ("R", (0, (12, 16))): "cet après-midi",
    ("R", (0, (16, 20))): "ce soir",
    ("R", (0, (20, 24))): "cette nuit",
    ("R", (-1, (20, 24))): "la nuit dernière",
    ("n", 0): "maintenant|en ce moment|à présent",
    ("X", -1): (
        "dernier|dernière|derniers|dernières|passé|passée|passés|passées|précédent|précédente"
        "|précédents|précédentes"
    ),
    ("X", 0): "ce|cet|cette|ces|en cours|actuel|actuelle|même|le même|la même",
    ("X", 1): (
        "prochain|prochaine|prochains|prochaines|qui vient|à venir|suivant|suivante|suivants"
        "|suivantes"
    ),
    ("A", 0): "auparavant|plus tôt",
    ("q", 0): "il y a|y a|voilà|il y a environ|il y a presque|cela fait|ça fait",
    ("0", "late"): "plus tard",
    ("L", 0): "plus tard|après",
    ("I", 0): "dans|en|d'ici|au cours de|au cours des|durant|au cours du|au",
    ("F", 0): "de|du|depuis|à partir de|dès",
    ("Z", 0): "à|au|jusqu'à|jusqu'au|jusqu'en|jusque|jusqu'aux",
    ("h", 0): "jusqu'à|jusqu'au|jusqu'en|jusque|jusqu'aux|jusqu'à la",
    ("B", 0): "entre|entre le",
    ("&", 0): "et|et le",
    ("G", 0): "depuis|depuis le|depuis l'|à partir du|à partir de|dès|depuis la",
    ("V", 0): "avant|avant le|avant la",
    ("W", 0): "après|après le|après la",
    ("E", 0): "chaque|tous les|toutes les",
    ("v", "day"): "quotidien|quotidiennement|tous les jours|chaque jour|quotidienne",
    ("v", "week"): "hebdomadaire|toutes les semaines|chaque semaine",
    ("v", "month"): "mensuel|mensuellement|tous les mois|mensuelle",
    ("v", "year"): "annuel|annuellement|annuelle|tous les ans|chaque année",
    ("o", 0): "le|la|les|l'|de|du|des|d'|en",
    ("a", 0): "à|vers|vers les|aux alentours de",
    ("k", 0): "heures|heure|heures pile|h",
    ("d", 0): "pendant|pour|durant",
    ("e", "early"): "début|au début de|début du|au début du|le début de",
    ("e", "middle"): "mi|milieu de|au milieu de|au milieu du",
    ("e", "late"): "fin|fin de|à la fin de|fin du|à la fin du|la fin de",
    ("past", 30): "et demie|et demi",
    ("past", 15): "et quart",
    ("past", -15): "moins le quart|moins quart",
    ("y", (12, 25)): "noël|jour de noël|le jour de noël",
    ("y", (12, 24)): "veille de noël|réveillon de noël|la veille de noël",
    ("y", (1, 1)): "jour de l'an|nouvel an|le jour de l'an",
    ("y", (12, 31)): "saint-sylvestre|réveillon du nouvel an",
    ("y", (7, 14)): "14 juillet",
}
