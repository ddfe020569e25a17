//! Formatting keeps comments, wherever they stand.

use cupola::front::cup::print;

use super::round_trip::read;
use super::samples::EVERYTHING;

/// The places between two tokens of the sample, and its ends.
fn gaps() -> Vec<usize> {
    let mut gaps = Vec::new();
    let mut in_comment = false;
    let mut in_text = false;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let glued = ["==", "!=", "<=", ">=", "&&", "||", "//", ".."];
    for (at, c) in EVERYTHING.char_indices() {
        let before = EVERYTHING[..at].chars().next_back();
        let pair = before.is_some_and(|b| glued.contains(&format!("{b}{c}").as_str()));
        let inside_word = word(c) && before.is_some_and(word);
        // Behind a `/` every comment would be another one.
        let divides = before == Some('/');
        if !(in_comment || in_text || pair || inside_word || divides) {
            gaps.push(at);
        }
        in_text ^= c == '"';
        in_comment |= EVERYTHING[at..].starts_with("//");
        in_comment &= c != '\n';
    }
    gaps
}

/// Formats a text, checks that formatting is idempotent and that the program stays the same.
fn format_with_comments(text: &str) -> String {
    let printed = print(&read(text));
    assert_eq!(print(&read(&printed)), printed, "of\n{text}");
    assert_eq!(words(&printed), words(text), "of\n{text}");
    printed
}

/// The text without spaces and comments.
fn words(text: &str) -> String {
    let mut rest = text;
    let mut words = String::new();
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            words.extend(Some(c).filter(|c| !c.is_whitespace()));
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    words
}

#[test]
fn a_comment_may_stand_between_any_two_tokens() {
    let gaps = gaps();
    assert!(gaps.len() > 300);
    for comment in [
        "/* note */",
        "// note\n",
        "\n// note\n",
        "\n\n/* no\nte */\n\n",
    ] {
        for &at in &gaps {
            let text = format!("{}{comment}{}", &EVERYTHING[..at], &EVERYTHING[at..]);
            let printed = format_with_comments(&text);
            let kept = printed.contains(comment.trim());
            assert!(kept, "the comment is lost of\n{text}");
        }
    }
}

#[test]
fn comments_may_stand_between_all_tokens() {
    for style in ["/* {} */", "// {}\n", "\n// {}\n"] {
        let mut text = String::new();
        let mut last = 0;
        for (number, at) in gaps().into_iter().enumerate() {
            text += &EVERYTHING[last..at];
            text += &style.replace("{}", &number.to_string());
            last = at;
        }
        text += &EVERYTHING[last..];
        let printed = format_with_comments(&text);
        for number in 0..gaps().len() {
            let comment = style.replace("{}", &number.to_string());
            assert!(printed.contains(comment.trim()), "{comment} is lost");
        }
    }
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let text = "// first\n\n\n\n// second\nshared   x ; // behind\nthread P { // open\n\n\n  // before\n  skip; /* a */ // b\n\n  // end\n}\n\n\n// last\n";
    insta::assert_snapshot!(print(&read(text)), @"
    // first

    // second
    shared x; // behind
    thread P { // open
      // before
      skip; /* a */ // b

      // end
    }

    // last
    ");
    let text = "thread P { while (x == 0) // head\n{ skip; } if (x == 0) { skip; } // then\nelse /* other */ { skip; } do { skip; } while (/* tail */ x == 0); x = /* inside */ 1; }";
    insta::assert_snapshot!(print(&read(text)), @"
    thread P {
      while (x == 0) {
        // head
        skip;
      }
      if (x == 0) {
        skip;
      } else {
        // then
        /* other */
        skip;
      }
      do {
        skip;
        /* tail */
      } while (x == 0);
      /* inside */
      x = 1;
    }
    ");
}
