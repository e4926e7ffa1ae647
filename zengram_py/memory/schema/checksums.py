"""The checksums of the migrations (migrations.py tells how they are made), written down.

A database keeps them, so what is here never changes once it was released; a test compares them with the migrations, and so finds out
when somebody changed one.
"""

CHECKSUMS: dict[str, str] = {
    "V001__layer0_storage": "cdd04b0d7724d360bc13e61fdb4dbc92ef556ad5adf5e70b0d26d4ce98d4ee77",
    "V002__layer1_core": "05456bffe90715982f9f22c0d70b0c5fda10937ed4c806bb7152f0c7577eb46f",
    "V003__layer2_intelligence": "74330b5f378bfe068f40147da52fe56c33aa23a00bbfae7c0bab7b073f781288",
    "V004__property_graph": "2ea97ea1e6baf3b55da2e3ec3940002b28b79055da346930036d302399a2d962",
    "V005__cross_cutting": "ef6f81a671411e6ba9d8a8bc864bb5b5ded8af044db252fa2bd56224218e1db1",
    "V006__layer3_coding": "8d192a83b5d090ed7c23ce4f7dc06668a5b2e61acce43414047b42c77f22dfeb",
    "V007__opencode_extensions": "b28d6e76d678c789a68441cff347d54d43c8da49bd4f5de327c9acfbd2884533",
    "V008__turn_opencode_fields": "cda0bfb3c40dbc1581b0aefe976b29470eb2962c9f3d696979cc74c11cfc9fb1",
    "V009__knowledge_vector": "baeaa1a539cc67030b0ff97e12eed5cbaad875a08d71e8d23b1d35cba67ea051",
    "V010__entities": "283d31af0485e968bbe4cf90d399ce457f33d6a4b505c0540bbe8c28f4c0bccc",
    "V011__ranking": "c95c4eef0947cd3e46341a7228060730292d6c25579a70577941ac3fbb7bea45",
    "V012__session_ends": "4f8f4f0762811d44bc6ad84081d257c092a77834fb2be7d367343ae6ff193f4f",
    "V013__provenance_graph": "a4896adf26b4ad67f4690e57bd9e9b7cb00c63d93214f3081e69b785905b456b",
    "V014__token_digests": "40f1c556c9ff2c3e1d24a5c4cab14f37d793eabefe95b3027396bf6840ca60d4",
}
