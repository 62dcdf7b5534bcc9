#include <weft/agent/node/repetition.hpp>

#include "agent/text/words_in_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/base/utf8.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t compared_bytes_max = 64 * 1024;

/** The pairs of neighbouring characters of a text, each once, in order. */
std::vector<std::uint64_t> pairs_in(std::string_view text)
{
    const std::string lower = ascii_lower_case(truncated_utf8(text, compared_bytes_max));
    std::vector<std::uint64_t> pairs;
    std::uint64_t before = 0;
    bool is_first = true;
    for (std::string_view rest = lower; !rest.empty();) {
        std::size_t bytes = 0;
        const std::uint64_t next = first_code_point(rest, bytes);
        rest.remove_prefix(bytes);
        if (!std::exchange(is_first, false)) pairs.push_back(before << 32 | next);
        before = next;
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

}  // namespace

std::string call_signature(const tool_call& call)
{
    std::string arguments = call.arguments;
    if (call.input == tool_input::json) {
        try {
            arguments = to_canonical_json_text(parse_arguments(call));
        } catch (const error&) {
            // No JSON: it is compared as it stands.
        }
    }
    return call.name + " " + arguments;
}

double text_similarity(std::string_view a, std::string_view b)
{
    const std::vector<std::uint64_t> in_a = pairs_in(a);
    const std::vector<std::uint64_t> in_b = pairs_in(b);
    if (in_a.empty() || in_b.empty()) return a == b && !a.empty() ? 1.0 : 0.0;
    std::vector<std::uint64_t> in_both;
    std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::back_inserter(in_both));
    const std::size_t in_one = in_a.size() + in_b.size() - in_both.size();
    return static_cast<double>(in_both.size()) / static_cast<double>(in_one);
}

bool doom_loop_detector::take(const std::vector<tool_call>& calls)
{
    std::vector<std::string> signatures;
    for (const tool_call& call : calls) signatures.push_back(call_signature(call));
    if (signatures.empty()) count = 0;
    else count = signatures == last ? count + 1 : 1;
    last = std::move(signatures);
    return turns > 0 && count >= turns;
}

bool stall_detector::take(std::string_view reply, bool got_further)
{
    const bool is_alike = !got_further && count > 0 && text_similarity(last, reply) >= similarity;
    count = got_further ? 0 : is_alike ? count + 1 : 1;
    last = reply;
    return replies > 0 && count >= replies;
}

std::string repeated_failure_detector::end_turn()
{
    std::string repeated;
    for (const std::string& signature : now)
        if (repeated.empty() && before.contains(signature)) repeated = signature;
    before = std::exchange(now, {});
    return repeated;
}

}  // namespace weft
