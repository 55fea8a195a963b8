"""Words for jobs in Spanish, German, French, Hindi and Chinese, as parts of patterns."""

from __future__ import annotations

SPANISH = (
    r"(?:ingenier[oa]|médic[oa]|doctora?|enfermer[oa]|profesora?|maestr[oa]|abogad[oa]"
    r"|diseñadora?|programadora?|cociner[oa]|chef|camarer[oa]|arquitect[oa]|periodista"
    r"|estudiante|desarrolladora?|contable|contadora?|economista|electricista|fontaner[oa]"
    r"|carpinter[oa]|mecánic[oa]|albañil|peluquer[oa]|dentista|farmacéutic[oa]|veterinari[oa]"
    r"|psicólog[oa]|fisioterapeuta|policía|bomber[oa]|soldado|militar|músic[oa]|cantante"
    r"|actor|actriz|escritora?|traductora?|fotógraf[oa]|artista|bibliotecari[oa]|científic[oa]"
    r"|investigadora?|biólog[oa]|químic[oa]|físic[oa]|consultora?|analista|gerente"
    r"|vendedora?|dependient[ea]|secretari[oa]|administrativ[oa]|agricultora?|panader[oa]"
    r"|conductora?|camioner[oa]|taxista|pilot[oa]|azafat[oa]|entrenadora?|juez[a]?|apicultora?)"
)
GERMAN = (
    r"(?:[\w-]*(?:ingenieur|entwickler|programmierer|informatiker|lehrer|erzieher|arzt|ärztin"
    r"|pfleger|krankenschwester|hebamme|apotheker|anwalt|anwältin|richter|notar|koch|köchin"
    r"|kellner|bäcker|metzger|konditor|student|architekt|designer|grafiker|fotograf|journalist"
    r"|redakteur|autor|schriftsteller|übersetzer|dolmetscher|berater|techniker|mechaniker"
    r"|mechatroniker|elektriker|elektroniker|klempner|installateur|tischler|schreiner|maurer"
    r"|maler|dachdecker|friseur|musiker|sänger|schauspieler|künstler|buchhalter|verkäufer"
    r"|beamte[r]?|polizist|feuerwehrmann|soldat|landwirt|gärtner|imker|fahrer|pilot|manager"
    r"|sekretär|assistent|psychologe|psychologin|therapeut|sozialarbeiter|bibliothekar"
    r"|wissenschaftler|forscher|physiker|chemiker|chemikerin|biologe|biologin|professor"
    r"|trainer|leiter)(?:in)?)"
)
FRENCH = (
    r"(?:ingénieure?|médecin|docteure?|infirmi(?:er|ère)|professeure?|enseignante?"
    r"|institut(?:eur|rice)|avocate?|juge|notaire|juriste|développeu(?:r|se)"
    r"|programmeu(?:r|se)|informaticien(?:ne)?|cuisini(?:er|ère)|chef|serveu(?:r|se)"
    r"|boulang(?:er|ère)|pâtissi(?:er|ère)|bouch(?:er|ère)|architecte|journaliste|étudiante?"
    r"|musicien(?:ne)?|chanteu(?:r|se)|danseu(?:r|se)|act(?:eur|rice)|comédien(?:ne)?|artiste"
    r"|écrivaine?|aut(?:eur|rice)|traduct(?:eur|rice)|interprète|photographe|graphiste"
    r"|bibliothécaire|apicult(?:eur|rice)|agricult(?:eur|rice)|fermi(?:er|ère)|jardini(?:er|ère)"
    r"|entraîneu(?:r|se)|électricien(?:ne)?|plombi(?:er|ère)|menuisi(?:er|ère)|charpenti(?:er|ère)"
    r"|maçon(?:ne)?|mécanicien(?:ne)?|ouvri(?:er|ère)|technicien(?:ne)?|soudeu(?:r|se)"
    r"|comptable|économiste|secrétaire|caissi(?:er|ère)|vendeu(?:r|se)|commerciale?"
    r"|coiffeu(?:r|se)|dentiste|pharmacien(?:ne)?|vétérinaire|sage-femme|kinésithérapeute"
    r"|psychologue|chauffeu(?:r|se)|pilote|pompi(?:er|ère)|polici(?:er|ère)|gendarme|militaire"
    r"|gérante?|direct(?:eur|rice)|consultante?|analyste|cherch(?:eur|euse)|biologiste"
    r"|chimiste|physicien(?:ne)?|assistante? sociale?|gouvernante)"
)
HINDI = (
    r"(?:डॉक्टर|इंजीनियर|शिक्षक|शिक्षिका|अध्यापक|अध्यापिका|टीचर|प्रोफेसर|प्रोफ़ेसर|वकील|जज|नर्स|लेखक"
    r"|लेखिका|छात्र|छात्रा|विद्यार्थी|डिज़ाइनर|डिजाइनर|प्रोग्रामर|डेवलपर|पत्रकार|किसान|ड्राइवर|पुलिसकर्मी"
    r"|सैनिक|गायक|गायिका|अभिनेता|अभिनेत्री|संगीतकार|कलाकार|चित्रकार|रसोइया|शेफ|दुकानदार|व्यापारी"
    r"|लेखाकार|अकाउंटेंट|मैनेजर|प्रबंधक|वैज्ञानिक|शोधकर्ता|बढ़ई|दर्ज़ी|दर्जी|नाई|इलेक्ट्रीशियन|मैकेनिक)"
)
# A job ends in one of these; 女孩, 素食者, 会员 and their like do not.
CHINESE = (
    r"(?:师|师傅|(?<![会党团成队球人])员|(?<![大国回独离人专])家|(?<![员义志])工|工人|商人|军人|主持人|经纪人"
    r"|经理人|养蜂人|(?:歌|水|鼓|选|骑|吉他|滑板|摔跤|网球|棋)手|医生|研究生|大学生|学生|实习生|服务生"
    r"|记者|学者|作者|研究者|创业者|警察|警官|法官|检察官|外交官|军官|公务员|护士|教练|经理|主管|总监|老板"
    r"|司机|保姆|模特|演员|律师|教授|会计|秘书|翻译|编辑|编剧|导演|裁缝|农民|渔民|士兵|店主|店长|主播|院长"
    r"|校长|保安|厨子|木匠|博士后)"
)
