use super::*;

/// A small vocabulary.
struct Some;

impl Names for Some {
    fn functions(&self) -> Vec<&'static str> {
        vec![
            "aclrtMalloc",
            "aclrtMallocHost",
            "aclrtFree",
            "aclrtMemcpyAsync",
        ]
    }

    fn near(&self, name: &str) -> Vec<String> {
        let near = name.contains("Mal").then(|| "aclrtMalloc".to_owned());
        near.into_iter().collect()
    }

    fn code(&self, name: &str) -> Result<i32, String> {
        match name {
            "ACL_ERROR_BAD_ALLOC" => Ok(200_000),
            _ => Err(format!("unknown code '{name}'")),
        }
    }

    fn usual_code(&self, function: &str) -> i32 {
        if function.contains("Malloc") {
            207_001
        } else {
            507_000
        }
    }

    fn lost_code(&self) -> i32 {
        507_899
    }

    fn has_size(&self, function: &str) -> bool {
        function != "aclrtFree"
    }
}

fn rules(text: &str) -> Rules {
    let rules = Rules::new();
    rules.set(text, &Some).unwrap();
    rules
}

fn call(function: &str) -> Call<'_> {
    Call {
        function,
        bytes: None,
        device: Option::Some(0),
    }
}

/// Which of the first calls fail.
fn failing(text: &str, function: &str) -> Vec<u64> {
    let rules = rules(text);
    (1..=10)
        .filter(|_| rules.decide(&call(function)).is_some())
        .collect()
}

fn action(text: &str, function: &str) -> Action {
    rules(text).decide(&call(function)).unwrap().action
}

#[test]
fn the_calls_that_are_named_fail_and_no_others() {
    let malloc = |text: &str| failing(text, "aclrtMalloc");
    assert_eq!(malloc("aclrtMalloc:nth=3:code=207001"), [3]);
    assert_eq!(malloc("aclrtMalloc:every=4"), [4, 8]);
    assert_eq!(malloc("aclrtMalloc:after=8"), [9, 10]);
    assert_eq!(malloc("aclrtMalloc:always:times=2"), [1, 2]);
    assert_eq!(malloc("aclrtM*c:every=3:times=2"), [3, 6]);
    assert_eq!(malloc(" aclrtMalloc:nth=2 ; aclrtMalloc:nth=5;"), [2, 5]);
    assert!(malloc("aclrtFree:nth=1").is_empty());
    assert!(malloc("").is_empty());
    let random = malloc("aclrtMalloc:seed=3:one-in=3");
    assert_eq!(random, malloc("aclrtMalloc:seed=3:one-in=3"));
    assert!(!random.is_empty() && random.len() < 8, "{random:?}");
    assert_ne!(random, malloc("aclrtMalloc:seed=4:one-in=3"));
}

#[test]
fn a_pattern_counts_all_functions_together() {
    let rules = rules("aclrtMalloc*:nth=2");
    assert!(rules.decide(&call("aclrtMalloc")).is_none());
    assert!(rules.decide(&call("aclrtFree")).is_none());
    let decision = rules.decide(&call("aclrtMallocHost")).unwrap();
    assert_eq!(decision.nth, 2);
    assert!(decision.sentence().contains("'aclrtMalloc*:nth=2'"));
}

#[test]
fn conditions_select_the_calls_that_count() {
    let large = rules("aclrtMalloc*:bytes>=1K");
    let of = |bytes| Call {
        bytes,
        ..call("aclrtMalloc")
    };
    assert!(
        large.decide(&of(None)).is_none(),
        "decided where the size is known"
    );
    assert!(large.decide(&of(Option::Some(1023))).is_none());
    assert!(large.decide(&of(Option::Some(1024))).is_some());
    let other = rules("aclrtFree:device=1:nth=1");
    assert!(other.decide(&call("aclrtFree")).is_none());
    let there = Call {
        device: Option::Some(1),
        ..call("aclrtFree")
    };
    assert!(other.decide(&there).is_some(), "the first on that device");
    // Tests do not run on the main thread.
    assert!(failing("aclrtFree:thread=main", "aclrtFree").is_empty());
    assert_eq!(failing("aclrtFree:thread=others", "aclrtFree").len(), 10);
    let named = std::thread::Builder::new().name("loader-3".to_owned());
    let named = named.spawn(|| failing("aclrtFree:thread=loader-*:nth=4", "aclrtFree"));
    assert_eq!(named.unwrap().join().unwrap(), [4]);
}

#[test]
fn what_happens_is_as_asked_or_what_fits_the_function() {
    let malloc = |text: &str| action(text, "aclrtMalloc");
    assert_eq!(malloc("aclrtMalloc:nth=1"), Action::Return(207_001));
    assert_eq!(malloc("aclrtMalloc:nth=1:code=-7"), Action::Return(-7));
    assert_eq!(
        malloc("aclrtMalloc:nth=1:code=ACL_ERROR_BAD_ALLOC"),
        Action::Return(200_000)
    );
    let copy = |text: &str| action(text, "aclrtMemcpyAsync");
    assert_eq!(copy("aclrtMemcpyAsync:always"), Action::Return(507_000));
    assert_eq!(
        copy("aclrtMemcpyAsync:always:out-of-memory"),
        Action::Return(207_001)
    );
    assert_eq!(
        copy("aclrtMemcpyAsync:always:task=507899"),
        Action::Task(507_899)
    );
    assert_eq!(copy("aclrtMemcpyAsync:always:lost"), Action::Lost(507_899));
    let delay = Action::Delay(Duration::from_millis(250));
    assert_eq!(copy("aclrtMemcpyAsync:always:delay=250"), delay);
}

#[test]
fn rules_come_and_go_and_say_what_they_saw() {
    let rules = Rules::new();
    let one = rules.add("aclrtFree:every=2", &Some).unwrap();
    let two = rules.add("aclrtFree:nth=2", &Some).unwrap();
    for _ in 0..4 {
        rules.decide(&call("aclrtFree"));
    }
    assert_eq!(rules.seen(one), Option::Some((4, 2)));
    assert_eq!(
        rules.seen(two),
        Option::Some((4, 1)),
        "both count, the first decides"
    );
    assert!(rules.remove(one) && !rules.remove(one));
    assert_eq!(rules.seen(one), None);
    assert!(rules.add("aclrtFree:nth=1;aclrtFree:nth=2", &Some).is_err());
    assert!(rules.remove(two) && rules.is_empty());
}

#[test]
fn invalid_rules_are_reported() {
    for (text, problem) in [
        (
            "aclrtMaloc:nth=1",
            "unknown function 'aclrtMaloc'; similar names: aclrtMalloc",
        ),
        (":nth=1", "unknown function ''"),
        ("hccl*:nth=1", "unknown function 'hccl*'"),
        ("aclrtMalloc", "for example nth=1"),
        ("aclrtMalloc:seed=4", "for example nth=1"),
        ("aclrtMalloc:nth", "key=value"),
        ("aclrtMalloc:nth=x", "nth is 'x'"),
        ("aclrtMalloc:nth=0", "at least 1"),
        ("aclrtMalloc:one-in=0", "at least 1"),
        ("aclrtMalloc:nth=1:code=0", "other than 0"),
        ("aclrtMalloc:nth=1:code=ACL_NO", "unknown code 'ACL_NO'"),
        ("aclrtMalloc:nth=1:code=1:lost", "exclude each other"),
        ("aclrtMalloc:nth=1:every=2", "given twice"),
        ("aclrtMalloc:nth=1:one-in=2", "only one of"),
        ("aclrtMalloc:when=now", "unknown key 'when'"),
        ("aclrtMalloc:bytes>=many", "a size such as"),
        ("aclrtFree:bytes>=4", "has no size"),
        ("aclrtFree:thread=:nth=1", "main, others"),
        ("aclrtMalloc:nth=1;what:nth=1", "unknown function 'what'"),
    ] {
        let said = Rules::new().set(text, &Some).unwrap_err();
        assert!(said.contains(problem), "{text}: {said}");
    }
}

#[test]
fn patterns() {
    for (pattern, name, expected) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("a*", "a", true),
        ("a*c", "abc", true),
        ("a*c", "ab", false),
        ("*b*", "abc", true),
        ("a*b*b", "abb", true),
        ("a*b*b", "ab", false),
        ("*", "", true),
        ("", "a", false),
    ] {
        assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
    }
}
