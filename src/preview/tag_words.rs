//! What kind of motion it is, by the words of its name: in English, and the plain words of some other languages.

use super::motion_tags::MotionTag::{self, *};

/// Words for each kind. A `*` stands for any ending. Words of scripts without spaces are found anywhere. Left out are words that
/// mean something else elsewhere: "step", "court" and "salto", or the Chinese sign for walking, which runs in Japanese.
const WORDS: [(MotionTag, &str); 20] = [
    (Pose, "pose poses tpose apose posture haltung ポーズ 姿势 姿勢 포즈"),
    (
        Walk,
        "walk* stroll* march* sneak* limp* strut* stride* pace pacing wander* tiptoe* gehen geh geht gang läuft schleich* spazier* \
         caminar camina* andar andando cammin* caminh* 歩 步 走路 걷 ходьба идти",
    ),
    (
        Run,
        "run runs running ran jog* sprint* gallop* trot* canter* rennen rennt renn lauf laufen galopp* trab* courir course cours \
         correr corre corriendo correndo corsa 走る 走り 跑 駆け 달리 бег бежать",
    ),
    (
        Jump,
        "jump* hop hops hopping leap* springen springt sprung hüpf* saut sauter saute sauts saltar saltando saltare pular ジャンプ \
         跳躍 跳跃 跳ぶ 점프 прыжок прыгать",
    ),
    (
        Climb,
        "climb* stairs staircase ladder kletter* treppe* leiter grimp* escalier* subir escalar escalera* 登 上る 楼梯 階段",
    ),
    (
        Acrobatics,
        "acrobat* backflip* frontflip* flip flips somersault* cartwheel* handspring* handstand* headstand* roundoff tumbl* gymnast* \
         breakdanc* akrobat* purzelbaum rolle flickflack acrobac* acrobaz* roue 宙返り 側転 翻跟头 空翻 倒立",
    ),
    (Kick, "kick* spinkick* roundhouse tritt treten kicken patada* patear calcio chute キック 蹴 踢"),
    (
        Punch,
        "punch* box boxing boxer jab jabs uppercut* hook hooks schlag faustschlag boxen puñetazo* pugno soco パンチ 打拳 拳",
    ),
    (
        Fight,
        "fight* combat* attack* sword* slash* stab* block blocking parry martial karate kungfu kendo fechten kampf kämpf* schwert* \
         angriff* épée attaque* lucha* espada* ataque* 戦 剣 攻撃 攻击 格斗 空手",
    ),
    (
        Throw,
        "throw* toss* pitch pitching catch catching wurf werfen wirft fangen lancer lanzar arremess* 投げ 投 扔",
    ),
    (
        Fall,
        "fall* falling death die dies dying dead knockdown stumble* trip trips fallen stürz* sturz stirb* sterben tomber caer 倒れ 摔倒 死",
    ),
    (Swim, "swim* schwimm* nager nage nadar nuot* 泳 游泳 수영"),
    (
        Turn,
        "turn turns turning rotate* rotation spin spins spinning twist* drehen dreht drehung wenden tourner girar 回転 转身 転回 振り向",
    ),
    (
        Sit,
        "sit sits sitting seated crouch* squat* kneel* sitzen setzen setzt hocken hockt knien assis asseoir accroupi* sentar* sentado* \
         agach* seduto 座 坐 蹲 앉",
    ),
    (
        Lie,
        "lie lies lying sleep* prone supine laying liegen liegt schlafen couché* dormir acostad* tumbado* 寝 躺 睡",
    ),
    (Crawl, "crawl* krabbel* kriech* ramper rampe gatear gatea* 這 爬行 ハイハイ"),
    (
        Dance,
        "dance* dancing dancer salsa waltz* ballet hiphop samba tango rumba chacha charleston macarena pirouette* twerk* robotdance \
         tanz* tänz* walzer danse* danser bail* danza* ballo danç* ダンス 踊 舞 춤 танец",
    ),
    (Wave, "wave* waving winken winkt wink saluer salut saludar saludo* acenar 手を振 挥手 揮手"),
    (
        Gesture,
        "gesture* gesturing talk* clap* cheer* bow bows bowing nod nods nodding shrug* point points pointing salute* dab dabs dabbing \
         hello agree* headshake geste gesten zeig* reden spricht klatsch* geste* aplaud* 話 拍手 说话 鼓掌",
    ),
    (
        Idle,
        "idle* idling stand stands standing still waiting wait breathe* rest resting stehen steht warten attend* reposo esperar parado 待機 立つ 立ち 站立 待机",
    ),
];
/// Kinds in the name of a folder above which it names a collection: each of its motions is only some of that.
const MOST_KINDS_OF_A_FOLDER: usize = 2;

/// The kinds of a motion: those that its name or description says, else those that the nearest folder says, else those that
/// were `seen`. That it turns, or is no motion at all, is seen better than said.
pub(super) fn tags_by_words(seen: &[MotionTag], name: &str, folder: &str) -> Vec<MotionTag> {
    let folders = folder.rsplit('/').map(kinds_in).filter(|kinds| kinds.len() <= MOST_KINDS_OF_A_FOLDER);
    let said = std::iter::once(kinds_in(name)).chain(folders).find(|kinds| !kinds.is_empty());
    let Some(mut said) = said else { return seen.to_vec() };
    if seen == [Pose] && !said.contains(&Pose) {
        said.insert(0, Pose);
    }
    if seen.contains(&Turn) && !said.contains(&Turn) {
        said.push(Turn);
    }
    said
}

/// The kinds that a text names, in the order of its words.
fn kinds_in(text: &str) -> Vec<MotionTag> {
    let mut kinds = Vec::new();
    for word in words_of(text) {
        let named =
            WORDS.iter().filter(|(_, known)| known.split_whitespace().any(|known| is_called(&word, known)));
        for (kind, _) in named {
            if !kinds.contains(kind) {
                kinds.push(*kind);
            }
        }
    }
    kinds
}

/// Whether a word of a name is a known one.
fn is_called(word: &str, known: &str) -> bool {
    let has_spaces = known.chars().all(|c| c < '\u{3000}');
    match known.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None if has_spaces => word == known,
        None => word.contains(known),
    }
}

/// The words of a name in small letters: they end where letters end, and where a capital follows a small letter.
fn words_of(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in text.chars() {
        if !letter.is_alphabetic() || (after_small && letter.is_uppercase()) {
            words.push(String::new());
        }
        if letter.is_alphabetic() {
            words.last_mut().expect("there is a word").extend(letter.to_lowercase());
        }
        after_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_libraries_say_what_they_are() {
        for (name, kinds) in [
            ("Walk_Forward_01", vec![Walk]),
            ("sneakRun", vec![Walk, Run]),
            ("CMU 02_03 run/jog", vec![Run]),
            ("RoundhouseKick", vec![Kick]),
            ("backflip", vec![Acrobatics]),
            ("mixamo.com Punching Bag (2)", vec![Punch]),
            ("StandUp_from_lying", vec![Idle, Lie]),
            ("schnelles Laufen", vec![Run]),
            ("Hüpfen", vec![Jump]),
            ("saludo con la mano", vec![Wave]),
            ("danse_classique", vec![Dance]),
            ("走る01", vec![Run]),
            ("跳舞", vec![Dance]),
            ("踢球", vec![Kick]),
            // What only looks like a word for it.
            ("runtime_spring_tournament_salt_boxcar", vec![]),
            ("02_01", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(kinds_in(name), kinds, "{name}");
        }
    }

    #[test]
    fn words_come_before_movement_and_a_name_before_its_folder() {
        let seen = [Walk, Turn];
        assert_eq!(tags_by_words(&seen, "kick_03", "locomotion/walks"), [Kick, Turn]);
        assert_eq!(tags_by_words(&seen, "03", "mocap/salsa/couple"), [Dance, Turn]);
        assert_eq!(tags_by_words(&seen, "03", "walk run jump and more"), seen, "a collection");
        assert_eq!(tags_by_words(&seen, "03", ""), seen);
        assert_eq!(tags_by_words(&[Pose], "sit_02", ""), [Pose, Sit]);
    }

    #[test]
    fn each_kind_but_those_seen_has_words_and_no_word_has_two_kinds() {
        let all: Vec<&str> = WORDS.iter().flat_map(|(_, words)| words.split_whitespace()).collect();
        for (kind, words) in WORDS {
            for word in words.split_whitespace() {
                let plain = word.trim_end_matches('*');
                assert!(plain.chars().all(char::is_alphabetic), "{word}");
                assert!(kinds_in(plain).contains(&kind), "{word} is {kind:?}");
            }
        }
        let ambiguous = all.iter().filter(|word| kinds_in(word.trim_end_matches('*')).len() > 1);
        assert_eq!(ambiguous.collect::<Vec<_>>(), Vec::<&&str>::new());
    }
}
