"""Turkish. A suffix may follow a word."""

AFFIX = (
    r"(?:n?[ıiuü]n|[dt][ae](?:n|ki)?|n?d[ae](?:n|ki)?|y?[aeıiuü]|n[ae]|s[ıiuü](?:n[ae]|nd[ae]n?)?"
    r"|l[ae]r(?:[ıi]n?)?|ki|nki|kine|y?l[ae]|lik|lig[ıi]|[ıi]nd[ae]n?)$"
)
MARKERS = (
    "ve bir bu ben sen o için ile de da mi mı ne var yok olan olarak geri gidiyorum gideceğim "
    "olacak oldu lütfen kadar daha çok benim"
)
SERIES = {
    "M": (
        1,
        "ocak,oca|şubat,şub|mart|nisan,nis|mayıs|haziran,haz|temmuz,tem|ağustos,ağu|eylül,eyl"
        "|ekim,eki|kasım,kas|aralık,ara ayı",
    ),
    "D": (
        0,
        "pazartesi,pzt,pazartesi günü|salı,salı günü|çarşamba,çarşamba günü,çar"
        "|perşembe,perşembe günü,per|cuma,cuma günü|cumartesi,cumartesi günü,cmt"
        "|pazar günü,pazar",
    ),
    "w": (
        0,
        "pazartesileri|salıları|çarşambaları|perşembeleri|cumaları|cumartesileri|pazarları",
    ),
    "N": (
        0,
        "sıfır||iki|üç,birkaç,bir kaç|dört|beş|altı|yedi|sekiz|dokuz|on|on bir,onbir|on iki,oniki"
        "|on üç|on dört|on beş|on altı|on yedi|on sekiz|on dokuz|yirmi|yirmi bir|yirmi iki"
        "|yirmi üç|yirmi dört|yirmi beş|yirmi altı|yirmi yedi|yirmi sekiz|yirmi dokuz|otuz"
        "|otuz bir",
    ),
    "O": (1, "birinci,ilk|ikinci|üçüncü|dördüncü|beşinci"),
    "S": (0, "ilkbahar,bahar|yaz,yazın|sonbahar,güz|kış,kışın"),
}
WORDS = {
    ("N", 40): "kırk",
    ("N", 50): "elli",
    ("N", 60): "altmış",
    ("N", 100): "yüz",
    ("N", 0.5): "yarım",
    ("N", 1.5): "bir buçuk",
    ("1", 1): "bir",
    ("U", "second"): "saniye",
    ("U", "minute"): "dakika|dk",
    ("U", "hour"): "saat|saatlik",
    ("U", "day"): "gün|günlük",
    ("U", "workday"): "iş günü",
    ("U", "week"): "hafta|haftalık",
    ("U", "weekend"): "hafta sonu|haftasonu",
    ("U", "month"): "ay|aylık",
    ("U", "quarter"): "çeyrek",
    ("U", "year"): "yıl|sene|yıllık|senelik",
    ("U", "decade"): "on yıl",
    ("U", "century"): "yüzyıl",
    ("T", (8, 12)): "sabah|sabahleyin|sabahı",
    ("T", (12, 16)): "öğleden sonra|öğleden sonraları",
    ("T", (16, 20)): "akşam|akşamüstü|akşamı|akşamleyin",
    ("T", (20, 24)): "gece|gecesi|geceleyin",
    ("H", (12, 0)): "öğle|öğlen|öğleyin",
    ("H", (0, 0)): "gece yarısı",
    ("R", 0): "bugün",
    ("R", 1): "yarın",
    ("R", -1): "dün",
    ("R", 2): "öbür gün|yarından sonraki gün|ertesi gün",
    ("R", -2): "evvelsi gün|önceki gün|dünden önceki gün",
    ("R", (0, (8, 12))): "bu sabah",
    ("R", (0, (16, 20))): "bu akşam",
    ("R", (0, (20, 24))): "bu gece",
    ("R", (-1, (20, 24))): "dün gece|geçen gece",
    ("n", 0): "şimdi|şu anda|hemen şimdi|şu an",
    ("X", -1): "geçen|geçtiğimiz|son|önceki|bir önceki|geçmiş",
    ("X", 0): "bu|içinde bulunduğumuz|aynı",
    ("X", 1): "gelecek|önümüzdeki|sonraki|bir sonraki|haftaya",
    ("A", 0): "önce|evvel",
    ("L", 0): "sonra|içinde|içerisinde",
    ("Z", 0): "ile|ila",
    ("&", 0): "ve",
    ("until", 0): "kadar|dek|değin",
    ("V2", 0): "önce|evvel",
    ("W2", 0): "sonra|sonrası",
    ("G2", 0): "beri|itibaren|bu yana",
    ("E", 0): "her",
    ("v", "day"): "her gün|günlük olarak",
    ("v", "week"): "her hafta|haftalık olarak",
    ("v", "month"): "her ay|aylık olarak",
    ("v", "year"): "her yıl|yıllık olarak|her sene",
    ("o", 0): "günü|tarihinde|ayı|ayının|yılı|yılının|ayında|yılında|tarihi",
    ("a", 0): "saat|saati",
    ("9", 0): "saat|saati",
    ("d", 0): "boyunca",
    ("past", 30): "buçuk",
    ("y", (12, 25)): "noel|noel günü",
    ("y", (1, 1)): "yeni yıl|yılbaşı günü",
    ("y", (12, 31)): "yılbaşı gecesi|yılbaşı",
    ("y", (10, 29)): "cumhuriyet bayramı",
}
