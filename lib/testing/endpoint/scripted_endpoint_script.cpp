#include "scripted_endpoint_script.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft::testing {

std::size_t scripted_endpoint_script::add_rule(scripted_endpoint_match match)
{
    const std::lock_guard lock{mutex_};
    rules_.push_back({std::move(match), {}, false, 0});
    return rules_.size() - 1;
}

void scripted_endpoint_script::add_reply(std::size_t index, reply_function make,
                                         bool is_for_all_further)
{
    const std::lock_guard lock{mutex_};
    rule& to = rules_.at(index);
    BOOST_ASSERT_MSG(!to.last_is_for_all, "the rule has a reply for all further requests already");
    to.replies.push_back(std::make_shared<const reply_function>(std::move(make)));
    to.last_is_for_all = is_for_all_further;
}

// The first rule that holds, in the order of the test: a special one stands before a general one.
auto scripted_endpoint_script::choose(const scripted_endpoint_request& request)
    -> std::optional<choice>
{
    const std::lock_guard lock{mutex_};
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        rule& candidate = rules_[i];
        if (candidate.is_used_up() || !candidate.match.holds(request)) continue;
        const std::size_t use = candidate.used++;
        return choice{candidate.replies[std::min(use, candidate.replies.size() - 1)], i, use};
    }
    return std::nullopt;
}

// A reply that was never asked for means that the program did less than the test believes.
std::string scripted_endpoint_script::unused() const
{
    const std::lock_guard lock{mutex_};
    std::string lines;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        const rule& rule = rules_[i];
        const std::size_t expected = rule.replies.size() - (rule.last_is_for_all ? 1 : 0);
        if (rule.used >= expected) continue;
        lines += "rule " + std::to_string(i + 1) + " (" + rule.match.description() +
                 ") was asked " + std::to_string(rule.used) + " times and expected " +
                 std::to_string(expected) + '\n';
    }
    return lines;
}

}  // namespace weft::testing
