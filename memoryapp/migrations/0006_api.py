from django.conf import settings
from django.db import migrations, models

from memoryapp.sql import load

STATE = [
    migrations.CreateModel(
        name='RateBucket',
        fields=[
            ('id', models.UUIDField(primary_key=True, serialize=False)),
            ('tokens', models.FloatField()),
            ('at', models.DateTimeField()),
        ],
    ),
    migrations.AddField('fact', 'chosen_importance', models.FloatField(blank=True, null=True)),
]


class Migration(migrations.Migration):

    dependencies = [
        ("memoryapp", "0005_budget"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([load("api").replace("{app}", settings.DATABASE_APP_ROLE)])
            ],
            state_operations=STATE,
        )
    ]
