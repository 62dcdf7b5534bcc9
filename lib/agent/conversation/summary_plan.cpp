#include <weft/agent/conversation/summary_plan.hpp>

#include "relevance.hpp"
#include "summary_text.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** Entries that are summarised together or not at all: a message with calls and the results of these. */
struct summary_unit {
    std::uint32_t shown_at = 0;
    std::vector<std::uint32_t> positions{};  // oldest first
    std::size_t messages = 0;
    std::size_t bytes = 0;  // of the transcript, about
    bool stays = false;
};

void add_to(summary_unit& unit, const lane_cursor& at, const summary_rules& rules, bool stays)
{
    const message& said = at.entry().message;
    unit.positions.insert(unit.positions.begin(), at.position());
    unit.shown_at = at.shown_at();
    unit.stays |= stays;
    if (at.entry().kind == entry_kind::shortened) return;
    ++unit.messages;
    unit.bytes += 20 + std::min(said.text().size(), rules.message_bytes_max);
    for (const tool_call& call : said.tool_calls)
        unit.bytes += 20 + std::min(call.name.size() + call.arguments.size(), rules.message_bytes_max);
}

/** The units of a lane in force, oldest first; summaries where they are shown. */
std::vector<summary_unit> units_of(const conversation& history, const std::string& lane, const summary_rules& rules)
{
    std::vector<summary_unit> units;
    const conversation::lane* const known = history.find_lane(lane);
    summary_unit open;
    for (lane_cursor at{history, lane}; !at.is_done(); at.next()) {
        const conversation_entry& entry = at.entry();
        const bool stays = entry.is_pinned || entry.message.role == role::system || at.position() == known->latest_user;
        if (entry.is_mark() || (entry.message.role != role::tool && entry.message.tool_calls.empty())) {
            add_to(units.emplace_back(), at, rules, stays);
            continue;
        }
        add_to(open, at, rules, stays);
        if (entry.message.role != role::tool) units.push_back(std::exchange(open, {}));
    }
    if (!open.positions.empty()) units.push_back(std::move(open));  // results without a call
    std::sort(units.begin(), units.end(),
              [](const summary_unit& a, const summary_unit& b) { return a.shown_at < b.shown_at; });
    return units;
}

constexpr std::size_t recent_messages_max = 10;

/** The words of the newest messages. */
recent_words words_of_newest(const conversation& history, const std::vector<summary_unit>& units)
{
    recent_words words;
    std::size_t taken = 0;
    for (auto unit = units.rbegin(); unit != units.rend() && taken < recent_messages_max; ++unit, ++taken)
        for (const std::uint32_t position : unit->positions) words.add(history[position].message.text());
    return words;
}

double score_of(const conversation& history, const summary_unit& unit, double age, const recent_words& recent)
{
    std::string text;
    for (const std::uint32_t position : unit.positions) text += history[position].message.text() + "\n";
    return dispensability(age, recent.irrelevance_of(text));
}

}  // namespace

summary_plan::summary_plan(std::string lane, summary_rules rules) : lane_{std::move(lane)}, rules_{std::move(rules)} {}

/** The oldest entries, as many as go into one transcript; none if there are too few.
 *  @param by_score   Beyond those that are too many, only what can be done without. */
summary_plan::choice summary_plan::choose(const conversation& history, bool by_score) const
{
    std::vector<summary_unit> units = units_of(history, lane_, rules_);
    const recent_words recent = by_score ? words_of_newest(history, units) : recent_words{};
    const std::size_t in_force = history.find_lane(lane_)->messages;
    const std::size_t too_many = in_force > rules_.messages_max ? in_force - rules_.messages_max : 0;
    const auto count = static_cast<double>(std::max<std::size_t>(units.size(), 2));
    std::size_t newest = 0;
    while (!units.empty() && newest < rules_.messages_kept) {
        newest += units.back().messages;
        units.pop_back();
    }
    choice chosen;
    std::size_t messages = 0;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        const summary_unit& unit = units[i];
        if (unit.stays) continue;
        if (by_score && messages >= too_many) {
            chosen.scored += unit.messages;
            const double age = 1.0 - static_cast<double>(i) / (count - 1.0);
            if (score_of(history, unit, age, recent) < *rules_.score_min) continue;
        }
        const bool is_full = bytes + unit.bytes > rules_.transcript_bytes_max;
        if (is_full && messages >= rules_.batch_min) break;
        chosen.positions.insert(chosen.positions.end(), unit.positions.begin(), unit.positions.end());
        messages += unit.messages;
        bytes += unit.bytes;
    }
    if (messages < rules_.batch_min) chosen.positions.clear();
    return chosen;
}

std::optional<summary_job> summary_plan::start(const conversation& history, bool is_urgent)
{
    const conversation::lane* const lane = history.find_lane(lane_);
    if (job_ || !lane || lane->messages < rests_until_) return std::nullopt;
    if (lane->messages <= rules_.messages_max && !is_urgent) return std::nullopt;
    const choice made = choose(history, rules_.score_min.has_value() && !is_urgent);
    const std::vector<std::uint32_t>& chosen = made.positions;
    if (chosen.empty()) return std::nullopt;
    summary_job job;
    job.scored = made.scored;
    job.lane = lane_;
    for (const std::uint32_t position : chosen) {
        job.covers.push_back(history.place_of(position));
        if (history[position].kind != entry_kind::shortened) ++job.messages;
    }
    job.request.system(std::string{summary_instructions()});
    job.request.user("Transcript:\n\n" + transcript_of(history, chosen, rules_.message_bytes_max));
    job.request.model = rules_.model;
    job.request.temperature = 0.1;
    job.request.output_max = rules_.output_max;
    job.fallback = extractive_summary(history, chosen);
    job_ = pending{job.covers, job.fallback, job.messages};
    return job;
}

applied_summary summary_plan::finish(conversation& history, const written_summary& written, provenance by)
{
    applied_summary done;
    if (!job_) {
        done.why = "no summary of this lane was under way";
        return done;
    }
    const pending job = std::move(*job_);
    job_.reset();
    const conversation::lane* const lane = history.find_lane(lane_);
    const std::vector<std::uint32_t> found = history.find(lane_, job.covers);
    rests_until_ = 0;
    if (found.size() != job.covers.size()) {
        done.what = applied_summary::outcome::range_changed;
        done.why = std::to_string(job.covers.size() - found.size()) + " of " + std::to_string(job.covers.size()) +
                   " entries were summarised or left out meanwhile";
        return done;
    }
    if (written.text.empty() && !rules_.falls_back) {
        done.what = applied_summary::outcome::failed;
        done.why = written.failure.empty() ? "the model said nothing" : written.failure;
        rests_until_ = lane->messages + std::max(rules_.batch_min, lane->messages / 4);
        return done;
    }
    by.lane = lane_;
    by.author = written.text.empty() ? message_author::program : message_author::model;
    const std::string& text = written.text.empty() ? job.fallback : written.text;
    const auto what = applied_summary::outcome::fallen_back;
    done.what = written.text.empty() ? what : applied_summary::outcome::applied;
    done.why = written.text.empty() ? written.failure : std::string{};
    done.messages = job.messages;
    done.change = history.cover(entry_kind::summary, text, found, std::move(by), "summary");
    return done;
}

}  // namespace weft
