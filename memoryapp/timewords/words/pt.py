"""Portuguese."""

MARKERS = (
    "o a os as um uma eu meu minha me é foi era são tenho tem de do da que em e ou mas não com "
    "por para se no na nos nas como quando onde estou vou há moro trabalho desde ao às"
)
SERIES = {
    "M": (
        1,
        "janeiro,jan|fevereiro,fev|março,mar|abril,abr|maio,mai|junho,jun|julho,jul|agosto,ago"
        "|setembro,set|outubro,out|novembro,nov|dezembro,dez",
    ),
    "D": (
        0,
        "segunda-feira,segunda feira|terça-feira,terça feira,terça|quarta-feira,quarta feira"
        "|quinta-feira,quinta feira|sexta-feira,sexta feira|sábado|domingo",
    ),
    "l": (0, "segunda||quarta|quinta|sexta"),
    "N": (
        0,
        "zero||dois,duas,um par de|três,alguns,algumas,poucos,vários|quatro|cinco|seis|sete|oito"
        "|nove|dez|onze|doze|treze|quatorze,catorze|quinze|dezesseis,dezasseis"
        "|dezessete,dezassete|dezoito|dezenove,dezanove|vinte|vinte e um|vinte e dois"
        "|vinte e três|vinte e quatro|vinte e cinco|vinte e seis|vinte e sete|vinte e oito"
        "|vinte e nove|trinta|trinta e um",
    ),
    "O": (1, "primeiro,primeira,1º|segundo,segunda|terceiro,terceira"),
    "S": (0, "primavera|verão|outono|inverno"),
}
WORDS = {
    ("N", 40): "quarenta",
    ("N", 50): "cinquenta",
    ("N", 0.5): "meia|meio",
    ("1", 1): "um|uma",
    ("U", "second"): "segundos",
    ("U", "minute"): "minuto|minutos|min",
    ("U", "hour"): "hora|horas",
    ("U", "day"): "dia|dias",
    ("U", "workday"): "dias úteis|dia útil",
    ("U", "week"): "semana|semanas",
    ("U", "weekend"): "fim de semana|final de semana|fins de semana|fim-de-semana",
    ("U", "month"): "mês|meses",
    ("U", "quarter"): "trimestre|trimestres",
    ("U", "year"): "ano|anos",
    ("U", "decade"): "década|décadas",
    ("U", "century"): "século|séculos",
    ("T", (8, 12)): "manhã|da manhã|de manhã|pela manhã|na manhã|a manhã",
    ("T", (12, 16)): "tarde|da tarde|à tarde|de tarde|pela tarde",
    ("T", (20, 24)): "noite|da noite|à noite|de noite|pela noite",
    ("T", (4, 8)): "madrugada|da madrugada|de madrugada",
    ("H", (12, 0)): "meio-dia|meio dia|ao meio-dia",
    ("H", (0, 0)): "meia-noite|meia noite|à meia-noite",
    ("R", 0): "hoje",
    ("R", 1): "amanhã",
    ("R", -1): "ontem",
    ("R", 2): "depois de amanhã",
    ("R", -2): "anteontem|antes de ontem",
    ("R", (0, (8, 12))): "esta manhã|hoje de manhã",
    ("R", (0, (20, 24))): "esta noite|hoje à noite",
    ("R", (-1, (20, 24))): "ontem à noite|noite passada",
    ("n", 0): "agora|neste momento|agora mesmo",
    ("X", -1): (
        "passado|passada|passados|passadas|último|última|últimos|últimas|anterior|anteriores"
    ),
    ("X", 0): "este|esta|estes|estas|neste|nesta|atual|corrente|deste|desta",
    ("X", 1): ("próximo|próxima|próximos|próximas|que vem|seguinte|seguintes|que entra|vindouro"),
    ("A", 0): "atrás|antes",
    ("q", 0): "há|faz|há cerca de|há uns|há quase",
    ("L", 0): "depois|mais tarde",
    ("I", 0): "em|dentro de|daqui a|no|na|nos|nas|durante|durante o|durante a|em até",
    ("F", 0): "de|desde|do|da|das",
    ("Z", 0): "até|a|ao|às|até o|até a|até as|até às|à",
    ("h", 0): "até|até o|até a|até as|até às|até ao",
    ("B", 0): "entre|entre as|entre os|entre o",
    ("&", 0): "e|e as|e o",
    ("G", 0): "desde|a partir de|a partir do|desde o|desde a",
    ("V", 0): "antes de|antes do|antes da|antes das",
    ("W", 0): "depois de|depois do|depois da|após|depois das",
    ("E", 0): "cada|todo|toda|todos os|todas as|a cada",
    ("v", "day"): "diariamente|diário|todos os dias|todo dia",
    ("v", "week"): "semanalmente|semanal|toda semana",
    ("v", "month"): "mensalmente|mensal",
    ("v", "year"): "anualmente|anual|todo ano",
    ("o", 0): "o|de|do|da|a|os|as|dia|no dia|em",
    ("a", 0): "às|as|à|por volta das|lá pelas",
    ("9", 0): "às|por volta das",
    ("k", 0): "em ponto|horas em ponto|horas",
    ("d", 0): "por|durante",
    ("e", "early"): "início de|começo de|no início de|no começo de|início do",
    ("e", "middle"): "meados de|em meados de|meados do",
    ("e", "late"): "fim de|final de|no fim de|no final de|fins de|final do",
    ("past", 30): "e meia",
    ("past", 15): "e quinze|e um quarto",
    ("past", -15): "menos um quarto",
    ("y", (12, 25)): "natal|dia de natal",
    ("y", (12, 24)): "véspera de natal",
    ("y", (1, 1)): "ano novo|dia de ano novo",
    ("y", (12, 31)): "véspera de ano novo|réveillon",
}
