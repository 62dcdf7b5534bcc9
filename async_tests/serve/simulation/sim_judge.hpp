#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace server_simulation {

/** Writes down what happens, in order, and what of it breaks a promise of the server. */
class sim_journal {
public:
    explicit sim_journal(bool keeps_lines) noexcept : keeps_lines_{keeps_lines} {}

    void note(std::int64_t microseconds, std::string_view line);
    void violation(std::int64_t microseconds, std::string what);

    /** Of all lines: equal for equal histories. */
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }
    [[nodiscard]] const std::vector<std::string>& violations() const noexcept { return violations_; }

private:
    bool keeps_lines_;
    std::uint64_t hash_ = 0xcbf2'9ce4'8422'2325;
    std::vector<std::string> lines_;
    std::vector<std::string> violations_;
};

/** Looks at the frames that one client gets of one run, over all its connections. Checks give what is wrong; empty:
 *  nothing. */
class stream_judge {
public:
    /** @param tag   Of the run: `tenant.thread.number`. */
    explicit stream_judge(std::string tag);

    /** @param id   0: the frame has none. */
    [[nodiscard]] std::string see(std::uint64_t id, std::string_view type, std::string_view data);

    /** What a client gets that reads the whole run afterwards must have come here too, in the same words. */
    [[nodiscard]] std::string compare_with(const stream_judge& later) const;

    [[nodiscard]] std::uint64_t last_id() const noexcept { return seen_.empty() ? 0 : seen_.back().first; }
    [[nodiscard]] std::size_t size() const noexcept { return seen_.size(); }
    /** The id of the run, once the stream has told it. */
    [[nodiscard]] const std::string& run() const noexcept { return run_; }

private:
    [[nodiscard]] std::string see_token(std::string_view text);
    [[nodiscard]] std::string see_foreign(std::string_view data) const;

    std::string tag_;
    std::string thread_;  // `tenant.thread.`
    std::string run_;
    std::vector<std::pair<std::uint64_t, std::string>> seen_;
    std::map<std::string, std::uint64_t, std::less<>> executions_;  // the last token of each
};

/** Whose a text is: every `tenant.thread.` in it must be `thread`. Gives the first one that is not; empty: none. */
[[nodiscard]] std::string foreign_tag_in(std::string_view text, std::string_view thread);

}  // namespace server_simulation
