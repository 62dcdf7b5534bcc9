#include <boost/test/unit_test.hpp>

#include "agent/talks.hpp"

#include <weft/agent/prompt/prompt_sections.hpp>
#include <weft/base/json.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(prompt_sections_test)

namespace {

using weft::prompt_phase;
using weft::prompt_section;
using weft::prompt_stability;

/** A section of so many tokens whose text begins with its id. */
prompt_section section(std::string id, std::size_t tokens, double priority = 1, prompt_phase phase = prompt_phase::task)
{
    prompt_section made;
    made.text = id + std::string(tokens * 4 - id.size(), ' ');
    made.id = std::move(id);
    made.priority = priority;
    made.phase = phase;
    return made;
}

prompt_section sticky(prompt_section from)
{
    from.is_sticky = true;
    return from;
}

prompt_section lasting(prompt_stability stability, prompt_section from)
{
    from.stability = stability;
    return from;
}

weft::prompt_options budget_of(std::int64_t tokens)
{
    weft::prompt_options options;
    options.budget = weft::tokens{tokens};
    return options;
}

std::string ids(const weft::composed_prompt& prompt, bool those_in = true)
{
    std::string text;
    for (const weft::section_report& report : prompt.sections) {
        const bool is_in = report.fate == weft::section_fate::kept || report.fate == weft::section_fate::cut;
        if (is_in == those_in) text.append(text.empty() ? "" : " ").append(report.id);
    }
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_23_sticky_first_then_phase_score_and_id)
{
    const weft::composed_prompt prompt = weft::compose(
        {section("user", 2, 9, prompt_phase::user), section("b", 2, 5), section("a", 2, 5), section("low", 2, 1),
         section("rule", 2, 1, prompt_phase::constraint), sticky(section("clock", 2, 1, prompt_phase::history)),
         sticky(section("identity", 2, 7, prompt_phase::constraint))});
    BOOST_TEST(ids(prompt) == "identity clock rule a b low user");
    BOOST_TEST(prompt.text.starts_with("identity"));
    BOOST_TEST(prompt.text.find("identity\n\nclock") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(IVY_23_a_score_is_priority_times_weight_times_multiplier)
{
    prompt_section heavy = section("heavy", 2, 2);
    heavy.weight = 3;
    prompt_section relevant = section("relevant", 2, 2);
    relevant.multiplier = 3.5;
    BOOST_TEST(ids(weft::compose({section("plain", 2, 5), heavy, relevant})) == "relevant heavy plain");
}

BOOST_AUTO_TEST_CASE(IVY_23_a_tie_is_broken_by_the_id_and_what_does_not_fit_is_skipped)
{
    std::string dropped;
    weft::prompt_options options = budget_of(33);
    options.on_drop = [&](const prompt_section& lost) { dropped.append(dropped.empty() ? "" : " ").append(lost.id); };
    const weft::composed_prompt prompt = weft::compose(
        {section("c", 10, 5), section("b", 10, 5), section("a", 10, 5), section("big", 50, 9), section("z", 1, 1)},
        options);
    // `big` comes first of all, so it would come in whatever its size: a sticky section is there already.
    BOOST_TEST(ids(prompt) == "big");
    BOOST_TEST(dropped == "a b c z");
    dropped.clear();
    const weft::composed_prompt with_sticky =
        weft::compose({sticky(section("s", 10)), section("c", 10, 5), section("b", 10, 5), section("a", 10, 5),
                       section("big", 50, 9), section("z", 1, 1)},
                      budget_of(40));
    BOOST_TEST(ids(with_sticky) == "s a b z");
    BOOST_TEST(ids(with_sticky, false) == "c big");
    BOOST_TEST(!with_sticky.is_over_budget);
    BOOST_TEST(with_sticky.total.count() == 10 + 11 + 11 + 2);
}

BOOST_AUTO_TEST_CASE(IVY_23_what_is_dropped_is_told_in_the_order_asked)
{
    std::string dropped;
    weft::prompt_options options = budget_of(12);
    options.on_drop = [&](const prompt_section& lost) { dropped.append(lost.id).append(" "); };
    (void)weft::compose({section("u", 10, 1, prompt_phase::user), section("t2", 10, 2), section("t1", 10, 1),
                         sticky(section("s", 10)), section("m", 10, 1, prompt_phase::memory)},
                        options);
    BOOST_TEST(dropped == "t2 t1 m u ");
}

BOOST_AUTO_TEST_CASE(IVY_23_sticky_sections_are_in_even_over_the_budget)
{
    const weft::composed_prompt prompt =
        weft::compose({sticky(section("s1", 20)), sticky(section("s2", 20)), section("a", 1)}, budget_of(30));
    BOOST_TEST(ids(prompt) == "s1 s2");
    BOOST_TEST(prompt.is_over_budget);
    BOOST_TEST(prompt.total.count() == 41);
}

BOOST_AUTO_TEST_CASE(IVY_23_a_phase_nobody_knows_is_the_task)
{
    BOOST_TEST((weft::prompt_phase_named("memory") == prompt_phase::memory));
    BOOST_TEST((weft::prompt_phase_named("whatever") == prompt_phase::task));
    BOOST_TEST((weft::prompt_options{}.budget == weft::tokens{16'384}));
}

BOOST_AUTO_TEST_CASE(what_stays_longest_comes_first)
{
    const weft::composed_prompt prompt = weft::compose(
        {sticky(lasting(prompt_stability::turn, section("clock", 2, 99))),
         lasting(prompt_stability::phase, section("focus", 2, 50)), section("identity", 2)});
    BOOST_TEST(ids(prompt) == "identity focus clock");
}

BOOST_AUTO_TEST_CASE(a_section_is_cut_to_its_own_budget_and_says_so)
{
    prompt_section notes = section("notes", 200, 2);
    notes.tokens_max = weft::tokens{50};
    const weft::composed_prompt prompt = weft::compose({notes, section("a", 1)});
    const weft::section_report& report = prompt.sections.front();
    BOOST_TEST((report.fate == weft::section_fate::cut));
    BOOST_TEST((report.used <= weft::tokens{50}));
    BOOST_TEST((report.used >= weft::tokens{45}));
    BOOST_TEST(report.wanted.count() == 200);
    BOOST_TEST(report.why == "cut to its own budget of 50 tokens");
    BOOST_TEST(prompt.text.find("[cut: the whole has about 200 tokens]") != std::string::npos);
    notes.tokens_max = weft::tokens{3};  // not even the note fits
    const weft::composed_prompt tiny = weft::compose({notes});
    BOOST_TEST((tiny.total <= weft::tokens{3}));
    BOOST_TEST(!tiny.text.empty());
}

BOOST_AUTO_TEST_CASE(a_report_says_of_each_section_what_became_of_it_and_why)
{
    prompt_section silent = section("silent", 2);
    silent.text.clear();
    prompt_section sourced = sticky(section("identity", 10));
    sourced.source = "settings.identity";
    sourced.tags = {"core"};
    const weft::composed_prompt prompt =
        weft::compose({silent, section("big", 100), sourced, section("a", 4)}, budget_of(20));
    BOOST_REQUIRE(prompt.sections.size() == 4u);
    BOOST_TEST(prompt.sections[0].why == "always in");
    BOOST_TEST(prompt.sections[1].why == "fits");
    BOOST_TEST(prompt.sections[2].why == "has no text");
    BOOST_TEST(prompt.sections[3].why == "takes 100 tokens, and 5 tokens are left beside what is in");
    const boost::json::value json = weft::to_json(prompt);
    BOOST_TEST(json.at("sections").at(0).at("source").as_string() == "settings.identity");
    BOOST_TEST(json.at("sections").at(3).at("fate").as_string() == "dropped");
    BOOST_TEST(json.at("total").as_int64() == 15);
    BOOST_TEST(json.at("budget").as_int64() == 20);
}

BOOST_AUTO_TEST_CASE(the_same_sections_give_the_same_bytes_within_the_budget)
{
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random{seed};
        std::vector<prompt_section> sections;
        for (unsigned i = random() % 12; i > 0; --i) {
            prompt_section one = section("s" + std::to_string(random() % 8), 1 + random() % 60,
                                         static_cast<double>(random() % 4), static_cast<prompt_phase>(random() % 6));
            one.is_sticky = random() % 5 == 0;
            one.stability = static_cast<prompt_stability>(random() % 3);
            if (random() % 4 == 0) one.tokens_max = weft::tokens{static_cast<std::int64_t>(1 + random() % 40)};
            if (random() % 9 == 0) one.text.clear();
            sections.push_back(std::move(one));
        }
        weft::prompt_options options = budget_of(static_cast<std::int64_t>(random() % 300));
        options.estimator.factor = 512 + static_cast<std::int64_t>(random() % 2'048);
        const weft::composed_prompt prompt = weft::compose(sections, options);
        BOOST_TEST_CONTEXT("seed " << seed) {
            BOOST_REQUIRE(prompt.sections.size() == sections.size());
            BOOST_REQUIRE(weft::compose(sections, options).text == prompt.text);
            const weft::tokens real = options.estimator.corrected(weft::estimate_tokens(prompt.text));
            BOOST_REQUIRE(real <= prompt.total);
            std::size_t unforced = 0;
            for (const weft::section_report& report : prompt.sections)
                if (report.fate < weft::section_fate::dropped && !report.is_sticky) ++unforced;
            if (prompt.is_over_budget) BOOST_REQUIRE(unforced <= 1u);  // none, or the one that is always let in
            else BOOST_REQUIRE(prompt.total <= options.budget);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
