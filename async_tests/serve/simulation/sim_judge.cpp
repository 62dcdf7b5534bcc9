#include "sim_judge.hpp"

#include <weft/base/json.hpp>

#include <algorithm>
#include <charconv>

namespace server_simulation {

void sim_journal::note(std::int64_t microseconds, std::string_view line)
{
    std::string text = std::to_string(microseconds);
    text.append(" ").append(line);
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
    if (keeps_lines_) lines_.push_back(std::move(text));
}

void sim_journal::violation(std::int64_t microseconds, std::string what)
{
    note(microseconds, "VIOLATION " + what);
    violations_.push_back(std::move(what));
}

std::string foreign_tag_in(std::string_view text, std::string_view thread)
{
    // Tags are made of `~tenant.thread.number`; the mark stands nowhere else.
    for (std::size_t at = text.find('~'); at != text.npos; at = text.find('~', at + 1)) {
        const std::string_view tag = text.substr(at, thread.size());
        if (tag != thread) return std::string{tag};
    }
    return {};
}

stream_judge::stream_judge(std::string tag)
    : tag_{std::move(tag)}, thread_{tag_.substr(0, tag_.rfind('.') + 1)}
{
}

std::string stream_judge::see(std::uint64_t id, std::string_view type, std::string_view data)
{
    if (type == "metadata") {
        const std::string run{weft::parse_json(data).at("run_id").as_string()};
        if (!run_.empty() && run_ != run) return "the stream of run " + run_ + " tells of run " + run;
        run_ = run;
        return {};
    }
    if (type == "error") return {};
    if (id <= last_id())
        return "event " + std::to_string(id) + " comes behind event " + std::to_string(last_id());
    seen_.emplace_back(id, std::string{type}.append(" ").append(data));
    if (std::string foreign = see_foreign(data); !foreign.empty()) return foreign;
    if (type != "messages") return {};
    const boost::json::value parsed = weft::parse_json(data);
    return see_token(parsed.as_array().at(0).at("content").as_string());
}

std::string stream_judge::see_foreign(std::string_view data) const
{
    const std::string foreign = foreign_tag_in(data, thread_);
    return foreign.empty() ? foreign : "the stream of " + tag_ + " has an event of " + foreign;
}

/** Tokens of an execution come without holes, each once. */
std::string stream_judge::see_token(std::string_view text)
{
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::size_t slash = text.substr(0, end).rfind('/');
    std::uint64_t number = 0;
    std::from_chars(text.data() + slash + 1, text.data() + end, number);
    const auto place = executions_.try_emplace(std::string{text.substr(0, slash)}, 0).first;
    const std::uint64_t expected = place->second + 1;
    place->second = number;
    if (number == expected) return {};
    return "token " + std::string{text.substr(0, end)} + " comes where number " + std::to_string(expected) +
           " should";
}

std::string stream_judge::compare_with(const stream_judge& later) const
{
    for (const auto& [id, text] : later.seen_) {
        const auto found = std::lower_bound(seen_.begin(), seen_.end(), id,
                                            [](const auto& each, std::uint64_t wanted) { return each.first < wanted; });
        if (found == seen_.end() || found->first != id)
            return "event " + std::to_string(id) + " of " + tag_ + " never came: " + text.substr(0, 200);
        if (found->second != text)
            return "event " + std::to_string(id) + " of " + tag_ + " was " + found->second.substr(0, 200) +
                   " and is " + text.substr(0, 200);
    }
    return {};
}

}  // namespace server_simulation
