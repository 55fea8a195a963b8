from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0001_initial"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="fact",
            options={"permissions": [("reveal_content", "Can reveal content, with a reason")]},
        ),
    ]
