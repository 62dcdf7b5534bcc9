#include <weft/agent/prompt/prompt_sections.hpp>

#include <weft/base/utf8.hpp>
#include <weft/model/chat/token_estimate.hpp>

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft {

namespace {

constexpr std::int64_t blank_line = 1;  // what lies between two sections, rounded up

/** A section on its way into the prompt. */
struct asked_section {
    const prompt_section* section;
    std::string text;
    std::int64_t weight = 0;  // estimated tokens, before correction
    std::int64_t whole = 0;   // of the text before it was cut
    section_fate fate = section_fate::kept;
    bool is_in = false;
};

std::int64_t section_weight(std::string_view text) { return estimate_tokens(text).count(); }

/** The longest beginning that has no more than `max` estimated tokens together with the words that say so. */
std::string cut_text(const std::string& text, std::int64_t max, tokens wanted)
{
    std::string tail = "\n[cut: the whole has about " + to_string(wanted) + "]";
    if (section_weight(tail) > max) tail.clear();
    std::size_t low = 0;
    std::size_t high = text.size();
    while (low < high) {
        const std::size_t middle = low + (high - low + 1) / 2;
        const std::string_view part = truncated_utf8(text, middle);
        if (section_weight(std::string{part} + tail) <= max) low = middle;
        else high = middle - 1;
    }
    return std::string{truncated_utf8(text, low)} + tail;
}

asked_section ask(const prompt_section& section, const token_estimator& estimator)
{
    asked_section asked{&section, section.text};
    if (section.text.empty()) {
        asked.fate = section_fate::empty;
        return asked;
    }
    asked.weight = asked.whole = section_weight(section.text);
    const tokens wanted = estimator.corrected(tokens{asked.weight});
    if (section.tokens_max.count() <= 0 || wanted <= section.tokens_max) return asked;
    asked.text = cut_text(section.text, estimator.estimate_for(section.tokens_max).count(), wanted);
    asked.weight = section_weight(asked.text);
    asked.fate = section_fate::cut;
    return asked;
}

/** By phase, the higher score, id. */
bool is_asked_before(const asked_section* a, const asked_section* b)
{
    const double score_a = a->section->score();
    const double score_b = b->section->score();
    if (a->section->phase != b->section->phase) return a->section->phase < b->section->phase;
    if (score_a != score_b) return score_a > score_b;
    if (a->section->id != b->section->id) return a->section->id < b->section->id;
    return a < b;
}

bool stands_before(const asked_section* a, const asked_section* b, prompt_order order)
{
    if (a->section->stability != b->section->stability) return a->section->stability < b->section->stability;
    if (order == prompt_order::as_given) return a < b;
    if (a->section->is_sticky != b->section->is_sticky) return a->section->is_sticky;
    return is_asked_before(a, b);
}

/** Decides which sections are in. @return   What they take. */
std::int64_t admit(std::vector<asked_section>& all, std::int64_t budget, const prompt_options& options)
{
    std::vector<asked_section*> others;
    std::int64_t taken = 0;
    const auto take = [&](asked_section& one) {
        taken += one.weight + (taken > 0 ? blank_line : 0);
        one.is_in = true;
    };
    for (asked_section& one : all) {
        if (one.fate == section_fate::empty) continue;
        if (one.section->is_sticky) take(one);
        else others.push_back(&one);
    }
    std::sort(others.begin(), others.end(), is_asked_before);
    for (asked_section* one : others) {
        if (taken == 0 || taken + blank_line + one->weight <= budget) {
            take(*one);
            continue;
        }
        one->fate = section_fate::dropped;
        if (options.on_drop) options.on_drop(*one->section);
    }
    return taken;
}

section_report report_of(const asked_section& asked, const token_estimator& estimator, std::int64_t left)
{
    const prompt_section& section = *asked.section;
    section_report report{section.id, section.source, section.phase, section.stability, section.is_sticky,
                          section.score(), asked.fate, estimator.corrected(tokens{asked.whole}),
                          {}, {}, section.tags};
    if (asked.is_in) report.used = estimator.corrected(tokens{asked.weight});
    switch (asked.fate) {
    case section_fate::kept: report.why = section.is_sticky ? "always in" : "fits"; break;
    case section_fate::cut: report.why = "cut to its own budget of " + to_string(section.tokens_max); break;
    case section_fate::empty: report.why = "has no text"; break;
    case section_fate::dropped:
        report.why = "takes " + to_string(estimator.corrected(tokens{asked.weight})) + ", and " +
                     to_string(estimator.corrected(tokens{std::max(left, std::int64_t{0})})) +
                     " are left beside what is in";
    }
    return report;
}

}  // namespace

prompt_phase prompt_phase_named(std::string_view name) noexcept
{
    prompt_phase found = prompt_phase::task;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<prompt_phase>>([&](auto one) {
        if (name == one.name) found = one.value;
    });
    return found;
}

composed_prompt compose(const std::vector<prompt_section>& sections, const prompt_options& options)
{
    std::vector<asked_section> all;
    all.reserve(sections.size());
    for (const prompt_section& section : sections) all.push_back(ask(section, options.estimator));
    const std::int64_t budget = options.estimator.estimate_for(options.budget).count();
    const std::int64_t taken = admit(all, budget, options);
    composed_prompt prompt;
    prompt.budget = options.budget;
    prompt.total = options.estimator.corrected(tokens{taken});
    prompt.is_over_budget = prompt.total > options.budget;
    std::vector<asked_section*> in;
    for (asked_section& one : all)
        if (one.is_in) in.push_back(&one);
    std::sort(in.begin(), in.end(),
              [&](const asked_section* a, const asked_section* b) { return stands_before(a, b, options.order); });
    for (const asked_section* one : in) {
        prompt.text.append(prompt.text.empty() ? "" : "\n\n").append(one->text);
        prompt.sections.push_back(report_of(*one, options.estimator, 0));
    }
    for (const asked_section& one : all)
        if (!one.is_in) prompt.sections.push_back(report_of(one, options.estimator, budget - taken));
    return prompt;
}

}  // namespace weft
