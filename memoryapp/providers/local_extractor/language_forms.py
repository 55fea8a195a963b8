"""The forms that plain statements have in Spanish, German, French, Hindi and Chinese: name,
home, work, likes, dislikes, diet, allergy, favourites."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .language_jobs import CHINESE, FRENCH, GERMAN, HINDI, SPANISH


@dataclass(frozen=True, slots=True)
class Form:
    attribute: str
    pattern: re.Pattern[str]
    negated: bool = False
    many: bool = False


def _form(attribute: str, pattern: str, *, negated: bool = False, many: bool = False) -> Form:
    return Form(attribute, re.compile(pattern), negated, many)


_HELLO = (
    r"^(?:(?:hola|buenos días|buenas|hallo|guten tag|moin|servus|bonjour|salut"
    r"|नमस्ते|你好|您好|嗨|大家好|pues|bueno"
    r"|also|ja|oui|y|und|et|और|pero|aber|mais|但是?|而且|其实|हाँ|ahora|jetzt|maintenant"
    r"|现在|我现在)[,，!. ]*)*"
)
_E = (
    r"(?=$|,| (?:y|pero|porque|desde|como|con|und|aber|weil|seit|als|mit|et|mais"
    r"|parce|depuis|comme|avec|car|puis|donc|denn)\b)"
)
# Where a value of several words ends: at a comma, or where another thought begins.
_L = (
    r"(?=$|,| (?:mais|car|parce|puisque|quand|lorsque|donc|puis|alors|tant que|sauf|même si|depuis"
    r"|pero|porque|aunque|cuando|sino|así que|desde|aber|weil|denn|wenn|obwohl|sondern|doch|außer"
    r"|seit|लेकिन|मगर|क्योंकि)(?: |$))"
)
_ES_MUCH = (
    r"(?:mucho |muchísimo |también |bastante |realmente |especialmente |además |sobre todo )*"
)
_DE_MUCH = r"(?:auch |sehr |wirklich |besonders |total |echt |ebenfalls |vor allem |am liebsten )*"
_FR_MUCH = (
    r"(?:aussi |vraiment |bien |beaucoup |tellement |énormément |surtout |particulièrement |trop "
    r"|toujours |également |encore |très |plutôt |tout particulièrement |tant )*"
)
_WITH = r"(?:(?:con|mit|avec) (?!mucho|viel|beaucoup)[^ ,]+(?: [^ ,]+){0,2} )?"
_ZH_MUCH = r"(?:真的|非常|特别|超级|超|很|最|也|都|一直|还|挺|比较|其实)*"
_ZH_NOT_JOB = r"(?![不想要去在因说从由被让和跟为看找问来用给很非更前当])"
_ZH_TIME = (
    r"(?:去年|今年|前年|上个?月|上周|\d{4}年(?:\d{1,2}月)?"
    r"|[\d一二三四五六七八九十两]+(?:年|个月)前)"
)
FORMS = tuple(
    _form(form[0], _HELLO + form[1], negated="-" in form[2], many="m" in form[2])
    for form in (
        # Spanish
        ("name", r"(?:me llamo|mi nombre es) (?P<v>[^\d,]{2,40}?)" + _E, ""),
        (
            "home",
            r"(?:yo )?(?:vivo|resido) (?:ahora |actualmente |desde [\w ]{2,20}? )?"
            + _WITH
            + r"en (?P<v>[^,]{2,40}?)"
            + _E,
            "",
        ),
        ("home", r"me (?:he mudado|mudé) a (?P<v>[^,]{2,40}?)" + _E, ""),
        ("origin", r"(?:yo )?soy de (?P<v>[^,]{2,40}?)" + _E, ""),
        (
            "employer",
            r"(?:yo )?trabajo (?:ahora |desde [\w ]{2,20}? )?(?:en|para) (?!casa|remoto|equipo"
            r"|una? |el |la "
            r"|un )(?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        ("job_title", r"(?:yo )?trabajo (?:como|de) (?P<v>[^,]{3,40}?)(?= en |$|,| para )", ""),
        (
            "job_title",
            r"(?:yo )?soy (?:una? )?(?P<v>" + SPANISH + r"(?: de [\w ]+?)?)(?:(?= en )|" + _E + ")",
            "",
        ),
        (
            "dislikes",
            r"(?:a mí )?(?:tampoco|no) me gustan? (?:nada |mucho )?(?P<v>[^,]{2,60}?)" + _L,
            "m",
        ),
        (
            "likes",
            r"(?:a mí )?(?:también )?me (?:gustan?|encantan?) "
            + _ES_MUCH
            + r"(?P<v>[^,]{2,60}?)"
            + _L,
            "m",
        ),
        ("dislikes", r"(?:yo )?odio (?P<v>[^,]{2,40}?)" + _E, "m"),
        (
            "diet",
            r"(?:yo )?soy (?P<v>vegetarian[oa]|vegan[oa]|celíac[oa]|pescetarian[oa])" + _E,
            "",
        ),
        (
            "allergy",
            r"(?:yo )?(?:soy alérgic[oa]|tengo alergia) (?:a la |a los |a las |al "
            r"|a )(?P<v>[^,]{2,60}?)" + _L,
            "m",
        ),
        ("drinks", r"(?:yo )?(?:nunca|no) (?:tomo|bebo) (?P<v>[^,]{2,60}?)" + _L, "-"),
        ("eats", r"(?:yo )?(?:nunca|no) como (?P<v>[^,]{2,40}?)" + _L, "-m"),
        # German
        ("name", r"(?:ich heiße|ich heisse|mein name ist) (?P<v>[^\d,]{2,40}?)" + _E, ""),
        (
            "home",
            r"(?:ich (?:wohne|lebe)|(?:wohne|lebe) ich) (?:jetzt |derzeit |seit [\w. ]{2,24}? )?"
            + _WITH
            + r"in (?P<v>[^,]{2,40}?)"
            + _E,
            "",
        ),
        ("home", r"ich bin (?:[\w. ]{2,30}? )?nach (?P<v>[^,]{2,40}?) (?:um)?gezogen$", ""),
        ("origin", r"ich komme aus (?P<v>[^,]{2,40}?)" + _E, ""),
        (
            "employer",
            r"(?:ich arbeite|arbeite ich) (?:jetzt |seit [\w. ]{2,24}? )?(?:bei|für) (?:der |dem )?"
            r"(?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        (
            "job_title",
            r"(?:ich arbeite|arbeite ich) (?:seit [\w. ]{2,24}? )?als (?P<v>[^,]{3,40}?)"
            r"(?= bei | an | für | beim |$|,| in | seit | und )",
            "",
        ),
        (
            "job_title",
            r"ich bin (?:von beruf )?(?:eine? )?(?P<v>"
            + GERMAN
            + r")(?= bei | an | in |$|,| und )",
            "",
        ),
        (
            "dislikes",
            r"ich mag (?:keine?n? |(?P<w>[^,]{2,40}?) nicht$)(?P<v>[^,]{2,40}?)?" + _E,
            "m",
        ),
        (
            "likes",
            r"ich (?:mag|liebe) " + _DE_MUCH + r"(?!keine?n?\b|es\b|das\b)(?P<v>[^,]{2,60}?)"
            r"(?: auch| sehr| gerne?| total| am liebsten)*" + _L,
            "m",
        ),
        (
            "likes",
            r"ich (?:esse|trinke|höre|lese|spiele) (?:auch |sehr |besonders |am )*"
            r"(?:gerne?|liebsten) (?P<v>[^,]{2,60}?)" + _L,
            "m",
        ),
        ("dislikes", r"ich hasse (?!es\b|das\b)(?P<v>[^,]{2,40}?)" + _E, "m"),
        ("eats", r"ich esse keine?n? (?P<v>[^,]{2,40}?)(?: mehr)?" + _E, "-m"),
        ("drinks", r"ich trinke keine?n? (?P<v>[^,]{2,40}?)(?: mehr)?" + _E, "-m"),
        (
            "diet",
            r"ich (?:bin|lebe|ernähre mich) (?P<v>vegetarier(?:in)?|veganer(?:in)?|vegan"
            r"|vegetarisch)" + _E,
            "",
        ),
        (
            "allergy",
            r"ich (?:bin allergisch gegen|habe eine allergie gegen"
            r"|vertrage keine?n?) (?P<v>[^,]{2,60}?)" + _L,
            "m",
        ),
        # French
        ("name", r"(?:je m'appelle|mon nom est|mon prénom est) (?P<v>[^\d,]{2,40}?)" + _E, ""),
        (
            "home",
            r"(?:j'habite|je vis|je réside) (?:maintenant |actuellement |depuis [\w ]{2,20}? )?"
            + _WITH
            + r"(?:à|au|en|aux|dans) (?P<v>[^,]{2,40}?)"
            + _E,
            "",
        ),
        ("origin", r"je viens (?:de |du |d')(?P<v>[^,]{2,40}?)" + _E, ""),
        (
            "home",
            r"j'ai (?:emménagé|déménagé) (?:à|au|en|aux|dans) (?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        (
            "employer",
            r"je travaille (?:depuis [\w ]{2,20}? )?(?:chez|pour) (?P<v>[^,]{2,40}?)" + _E,
            "",
        ),
        (
            "job_title",
            r"je travaille (?:également |aussi |actuellement |maintenant )?(?:comme|en tant qu[e'])"
            r" ?(?:une? )?(?P<v>[^,]{3,40}?)"
            r"(?= (?:chez|pour|dans|à|depuis|au|et|mais|la|le|les)\b|$|,)",
            "",
        ),
        (
            "job_title",
            r"je suis (?!.*\bà la retraite)(?:une? )?(?P<v>"
            + FRENCH
            + r"(?: (?:de |du |des |en |d')[^,]+?)?)"
            r"(?= (?:chez|sur|à|dans|depuis|pour|au|aux|et|mais|qui|car|parce)\b|$|,)",
            "",
        ),
        (
            "dislikes",
            r"je (?:n'aime pas|ne supporte pas|déteste) (?:du tout |vraiment |trop |beaucoup )*"
            r"(?:du |de la )?(?P<v>[^,]{2,60}?)" + _L,
            "m",
        ),
        (
            "likes",
            r"(?:j'aime|j'adore) " + _FR_MUCH + r"(?!(?:pas|plus|moins|quand|que|ça)\b)"
            r"(?P<v>[^,]{2,60}?)" + _L,
            "m",
        ),
        ("diet", r"je suis (?P<v>végétarienn?e?|végétalienn?e?|vegan|végane?)" + _E, ""),
        (
            "allergy",
            r"(?:je suis allergique|j'ai une allergie) (?:à la |au |aux |à l'|à )"
            r"(?P<v>[^,]{2,60}?)" + _L,
            "m",
        ),
        ("eats", r"je ne mange (?:pas|plus|jamais) (?:de |d'|du )(?P<v>[^,]{2,40}?)" + _E, "-m"),
        ("drinks", r"je ne bois (?:pas|plus|jamais) (?:de |d'|du )(?P<v>[^,]{2,40}?)" + _E, "-m"),
        # Hindi
        ("name", r"मेरा नाम (?P<v>[^,]{2,40}?) है$", ""),
        ("home", r"(?:मैं|हम) (?!एक |अपन|घर )(?P<v>[^,]{2,40}?) में (?:रहता|रहती|रहते) (?:हूँ|हूं|हैं)$", ""),
        (
            "employer",
            r"(?:मैं|हम) (?!अपन|घर )(?P<v>[^,]{2,40}?) में (?:काम|नौकरी) (?:करता|करती|करते) (?:हूँ|हूं"
            r"|हैं)$",
            "",
        ),
        (
            "job_title",
            r"मैं (?:पेशे से )?(?:एक )?(?P<v>(?:(?!नहीं|कभी|अपन)[^ ,]+ ){0,2}?" + HINDI + r") (?:हूँ|हूं)$",
            "",
        ),
        (
            "dislikes",
            r"मुझे (?:भी )?(?P<v>[^,]{2,40}?) (?:बिल्कुल |भी )*(?:पसंद|अच्छा|अच्छी) नहीं (?:है|हैं|लगता|लगती"
            r"|लगते)?\s?(?:है)?$",
            "m",
        ),
        ("dislikes", r"मुझे (?P<v>[^,]{2,40}?) नापसंद (?:है|हैं)$", "m"),
        (
            "likes",
            r"मुझे (?:भी |बहुत )?(?P<v>(?:(?!नहीं)[^,]){2,40}?) "
            r"(?:बहुत |भी |काफी |काफ़ी |ज़्यादा |सबसे )*(?:पसंद (?:है|हैं)|(?:अच्छा"
            r"|अच्छी|अच्छे) (?:लगता|लगती|लगते) (?:है|हैं))$",
            "m",
        ),
        ("allergy", r"मुझे (?P<v>[^,]{2,40}?) से (?:एलर्जी|ऐलर्जी) है$", "m"),
        ("diet", r"(?:मैं) (?P<v>शाकाहारी|वीगन) (?:हूँ|हूं)$", ""),
        ("eats", r"(?:मैं) (?P<v>[^,]{2,30}?) नहीं (?:खाता|खाती)(?: (?:हूँ|हूं))?$", "-m"),
        # Chinese
        (
            "name",
            r"(?:我叫(?!外卖|车|了|人|醒|做)|我的名字(?:叫|是)|我姓名是)(?P<v>[^，,的了吗他她你]{1,12})(?=$|[，,])",
            "",
        ),
        (
            "home",
            r"我(?:和我?的?[^，,住]{1,6})?(?:一起|都)?(?:现在|目前|(?:从|自)?"
            + _ZH_TIME
            + r"(?:起|开始)?(?:就)?)?"
            r"(?:一直)?(?:住在|定居在|居住在|搬到了?|搬去了?)(?P<v>[^，,吗的我一]{1,20}?)(?:了)?(?=$|[，,])",
            "",
        ),
        ("origin", r"我(?:来自|是从)(?P<v>[^，,吗的一我]{1,15}?)(?:来的)?(?=$|[，,])", ""),
        (
            "employer",
            r"我(?:现在|目前|刚|最近)*在(?:一(?:家|所|个|间))?(?!家|这|那|哪|外|网|室)"
            r"(?P<v>[^，,吗我的和跟同]{2,20}?)(?:全职|兼职)?(?:上班|工作|任职)(?:了)?(?=$|[，,])",
            "",
        ),
        (
            "diet",
            r"我(?:是|吃)(?:一?(?:名|个|位))?(?P<v>(?:严格的?)?(?:纯?素食(?:者|主义者)|纯素(?:食者)?|素|清真))(?=$|[，,])",
            "",
        ),
        (
            "job_title",
            r"我(?:现在|目前)?是(?:一?(?:名|位|个|家))?"
            + _ZH_NOT_JOB
            + r"(?P<v>[^，,吗的和]{0,10}?"
            + CHINESE
            + r")(?=$|[，,])",
            "",
        ),
        (
            "dislikes",
            r"我" + _ZH_MUCH + r"(?:不(?:太|怎么|是很)?喜欢|讨厌|不爱)(?!你|这|那|他|她)"
            r"(?P<v>[^，,吗]{1,20})(?=$|[，,])",
            "m",
        ),
        (
            "likes",
            r"我"
            + _ZH_MUCH
            + r"(?:喜欢|喜爱|热爱|爱)(?!你|这|那|上了|他|她|的)(?P<v>[^，,吗]{1,20})(?=$|[，,])",
            "m",
        ),
        ("allergy", r"我对(?P<v>[^，,吗]{1,20}?)(?:严重)?过敏(?=$|[，,])", "m"),
        ("eats", r"我(?:从来?|都|也)*不吃(?P<v>[^，,吗了也]{1,12})(?=$|[，,也])", "-m"),
        ("drinks", r"我(?:从来?|都|也)*不喝(?P<v>[^，,吗了也]{1,12})(?=$|[，,也])", "-m"),
    )
)
_KINDS_OF_FAVOURITE = {
    "colour": "color|colores|farbe|couleurs?|रंग|颜色",
    "food": "comida|plato|alimento|essen|gericht|speise|plat|nourriture|aliment|repas|खाना|भोजन"
    "|食物|食品|菜|美食",
    "drink": "bebida|getränk|boisson|पेय|饮料|饮品",
    "cuisine": "cocina|küche|cuisine|菜系",
    "restaurant": "restaurante|restaurant|रेस्तरां|餐厅|餐馆|饭店",
    "film": "película|peli|film|फिल्म|फ़िल्म|电影",
    "book": "libro|buch|livre|किताब|पुस्तक|书",
    "author": "autora?|escritora?|autorin|auteur|autrice|écrivain|लेखक|作家|作者",
    "band": "banda|grupo|cantante|artista|band|sänger|sängerin|künstler|groupe|chanteur|chanteuse"
    "|artiste|गायक|गायिका|乐队|歌手|艺术家",
    "song": "canción|lied|song|chanson|गाना|गीत|歌曲?",
    "music": "música|tipo de música|género musical|musik|musikrichtung|musique|genre de musique"
    "|type de musique|संगीत|音乐(?:类型)?",
    "game": "juego|videojuego|spiel|videospiel|jeu|jeu vidéo|खेल|游戏",
    "show": "serie|programa|sendung|série|émission|सीरियल|节目|电视剧",
    "season": "estación|jahreszeit|saison|मौसम|季节",
    "place": "lugar|ciudad|ort|stadt|endroit|lieu|ville|जगह|शहर|地方|城市",
    "team": "equipo|mannschaft|verein|équipe|टीम|球队",
    "animal": "animal|tier|जानवर|动物",
    "number": "número|zahl|chiffre|nombre|अंक|数字",
}
KIND_OF_FAVOURITE = {
    key: re.compile(rf"(?:{words})", re.IGNORECASE) for key, words in _KINDS_OF_FAVOURITE.items()
}
FAVOURITES = tuple(
    re.compile(_HELLO + pattern)
    for pattern in (
        r"mis? (?P<what>[^,]{3,25}?) (?:favorit|preferid)[oa]s? (?:es|son) (?P<v>[^,]{2,50}?)" + _L,
        r"meine? lieblings-?(?P<what>[^, ]{3,20}) (?:ist|sind) (?P<v>[^,]{2,50}?)" + _L,
        r"(?:mon|ma|mes) (?P<what>[^,]{3,25}?) (?:préféré|favori)(?:te)?e?s?"
        r"(?:,? c'est| est| sont) "
        r"(?!(?:en|à|dans|chez) )(?:de |d')?(?P<v>[^,]{2,50}?)" + _L,
        r"मे(?:रा|री|रे) (?:सबसे )?(?:पसंदीदा|मनपसंद|प्रिय) (?P<what>[^ ,]+) (?P<v>[^,]{2,40}?) (?:है|हैं)$",
        r"我(?:现在)?最(?:喜欢|爱|喜爱)的(?P<what>[^，,是]{1,8})是(?P<v>[^，,吗]{1,20}?)的?$",
        r"(?P<v>[^，,我是]{1,15})是我最(?:喜欢|爱|喜爱)的(?P<what>[^，,是]{1,8})$",
        r"(?:me |yo )?(?!mi|je|que|ce|c')(?P<v>[^,]{2,30}?) (?:est|sont) (?:mon|ma|mes) "
        r"(?P<what>[^,]{3,25}?) préférée?s?$",
        r"(?!mi|eso|esto|que)(?P<v>[^,]{2,30}?) es mi (?P<what>[^,]{3,25}?) "
        r"(?:favorit|preferid)[oa]$",
    )
)
