"""The papers behind the instruments, as BibTeX. A field that is not known for sure is left out."""

CALISKAN = """\
@article{caliskan-etal-2017-semantics,
  title = {Semantics derived automatically from language corpora contain human-like biases},
  author = {Caliskan, Aylin and Bryson, Joanna J. and Narayanan, Arvind},
  journal = {Science},
  volume = {356},
  number = {6334},
  pages = {183--186},
  year = {2017},
  doi = {10.1126/science.aal4230},
}
"""

MCCURDY = """\
@inproceedings{mccurdy-serbetci-2017-grammatical,
  title = {Grammatical gender associations outweigh topical gender bias in crosslinguistic word embeddings},
  author = {McCurdy, Katherine and Serbet{\\c{c}}i, O{\\u{g}}uz},
  booktitle = {Proceedings of the Workshop for Women and Underrepresented Minorities in Natural Language Processing},
  address = {Vancouver, Canada},
  year = {2017},
}
"""

ZHOU = """\
@inproceedings{zhou-etal-2019-examining,
  title = {Examining Gender Bias in Languages with Grammatical Gender},
  author = {Zhou, Pei and Shi, Weijia and Zhao, Jieyu and Huang, Kuan-Hao and Chen, Muhao and Cotterell, Ryan and
    Chang, Kai-Wei},
  booktitle = {Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing and the 9th
    International Joint Conference on Natural Language Processing (EMNLP-IJCNLP)},
  pages = {5276--5284},
  address = {Hong Kong, China},
  publisher = {Association for Computational Linguistics},
  year = {2019},
  doi = {10.18653/v1/D19-1531},
}
"""

GARG = """\
@article{garg-etal-2018-word,
  title = {Word embeddings quantify 100 years of gender and ethnic stereotypes},
  author = {Garg, Nikhil and Schiebinger, Londa and Jurafsky, Dan and Zou, James},
  journal = {Proceedings of the National Academy of Sciences},
  volume = {115},
  number = {16},
  pages = {E3635--E3644},
  year = {2018},
  doi = {10.1073/pnas.1720347115},
}
"""

ETHAYARAJH = """\
@inproceedings{ethayarajh-etal-2019-understanding,
  title = {Understanding Undesirable Word Embedding Associations},
  author = {Ethayarajh, Kawin and Duvenaud, David and Hirst, Graeme},
  booktitle = {Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics},
  pages = {1696--1705},
  address = {Florence, Italy},
  publisher = {Association for Computational Linguistics},
  year = {2019},
  doi = {10.18653/v1/P19-1166},
}
"""

DEV = """\
@inproceedings{dev-phillips-2019-attenuating,
  title = {Attenuating Bias in Word Vectors},
  author = {Dev, Sunipa and Phillips, Jeff},
  booktitle = {Proceedings of the 22nd International Conference on Artificial Intelligence and Statistics},
  pages = {879--887},
  publisher = {PMLR},
  year = {2019},
  url = {http://proceedings.mlr.press/v89/dev19a.html},
}
"""

MANZINI = """\
@inproceedings{manzini-etal-2019-black,
  title = {Black is to Criminal as {C}aucasian is to Police: Detecting and Removing Multiclass Bias in Word Embeddings},
  author = {Manzini, Thomas and Lim, Yao Chong and Tsvetkov, Yulia and Black, Alan W},
  booktitle = {Proceedings of the 2019 Conference of the North American Chapter of the Association for Computational
    Linguistics: Human Language Technologies, Volume 1 (Long and Short Papers)},
  pages = {615--621},
  address = {Minneapolis, Minnesota},
  publisher = {Association for Computational Linguistics},
  year = {2019},
  url = {https://aclanthology.org/N19-1062},
}
"""

SWEENEY = """\
@inproceedings{sweeney-najafian-2019-transparent,
  title = {A Transparent Framework for Evaluating Unintended Demographic Bias in Word Embeddings},
  author = {Sweeney, Chris and Najafian, Maryam},
  booktitle = {Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics},
  pages = {1662--1667},
  address = {Florence, Italy},
  publisher = {Association for Computational Linguistics},
  year = {2019},
  doi = {10.18653/v1/P19-1162},
}
"""

KURITA = """\
@inproceedings{kurita-etal-2019-measuring,
  title = {Measuring Bias in Contextualized Word Representations},
  author = {Kurita, Keita and Vyas, Nidhi and Pareek, Ayush and Black, Alan W and Tsvetkov, Yulia},
  booktitle = {Proceedings of the First Workshop on Gender Bias in Natural Language Processing},
  pages = {166--172},
  address = {Florence, Italy},
  publisher = {Association for Computational Linguistics},
  year = {2019},
  doi = {10.18653/v1/W19-3823},
}
"""

BARTL = """\
@inproceedings{bartl-etal-2020-unmasking,
  title = {Unmasking Contextual Stereotypes: Measuring and Mitigating {BERT}'s Gender Bias},
  author = {Bartl, Marion and Nissim, Malvina and Gatt, Albert},
  booktitle = {Proceedings of the Second Workshop on Gender Bias in Natural Language Processing},
  pages = {1--16},
  address = {Barcelona, Spain (Online)},
  publisher = {Association for Computational Linguistics},
  year = {2020},
  url = {https://aclanthology.org/2020.gebnlp-1.1},
}
"""

AZPILLAGA = """\
@misc{azpillaga-2021-analisis,
  title = {An{\\'a}lisis del sesgo de g{\\'e}nero en los modelos {NLP}},
  author = {Azpillaga Rivera, Javier},
  note = {Trabajo de Fin de Grado, Grado en Ingenier{\\'i}a Inform{\\'a}tica},
  year = {2021},
}
"""

ZHAO = """\
@inproceedings{zhao-etal-2021-slguset,
  title = {{中文句子级性别无偏数据集构建及预训练语言模型的性别偏度评估
    (Construction of Chinese Sentence-Level Gender-Unbiased Data Set and Evaluation of Gender Bias in Pre-Training
    Language Model)}},
  author = {Zhao, Jishun and Du, Bingjie and Zhu, Shucheng and Liu, Pengyuan},
  booktitle = {Proceedings of the 20th Chinese National Conference on Computational Linguistics},
  year = {2021},
}
"""

BAD = """\
@misc{bad-test,
  title = {Explicit Linguistic Markers of Implicit Social Biases: Gender Biases in Adjectives with Grammatical Gender},
  note = {The Binary Association Difference (BAD) test},
}
"""

ANANTAPRAYOON = """\
@inproceedings{anantaprayoon-etal-2024-evaluating,
  title = {Evaluating Gender Bias of Pre-trained Language Models in Natural Language Inference by Considering All
    Labels},
  author = {Anantaprayoon, Panatchakorn and Kaneko, Masahiro and Okazaki, Naoaki},
  booktitle = {Proceedings of the 2024 Joint International Conference on Computational Linguistics, Language Resources
    and Evaluation (LREC-COLING 2024)},
  address = {Torino, Italy},
  pages = {6395--6408},
  year = {2024},
  url = {https://aclanthology.org/2024.lrec-main.566},
}
"""

DEV_2020 = """\
@inproceedings{dev-etal-2020-measuring,
  title = {On Measuring and Mitigating Biased Inferences of Word Embeddings},
  author = {Dev, Sunipa and Li, Tao and Phillips, Jeff M. and Srikumar, Vivek},
  booktitle = {Proceedings of the AAAI Conference on Artificial Intelligence},
  volume = {34},
  number = {05},
  pages = {7659--7666},
  year = {2020},
}
"""

BOLUKBASI = """\
@inproceedings{bolukbasi-etal-2016-man,
  title = {Man is to Computer Programmer as Woman is to Homemaker? Debiasing Word Embeddings},
  author = {Bolukbasi, Tolga and Chang, Kai-Wei and Zou, James and Saligrama, Venkatesh and Kalai, Adam},
  booktitle = {Advances in Neural Information Processing Systems 29},
  pages = {4356--4364},
  year = {2016},
}
"""
