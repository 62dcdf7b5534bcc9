#include "accept_encoding.hpp"

#include <weft/base/text/ascii_text.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace weft::net_detail {

namespace {

constexpr std::size_t codings_max = 32;

/** Cuts off what stands before a mark, without blanks around it. */
std::string_view take_until(std::string_view& rest, char mark) noexcept
{
    const std::size_t end = std::min(rest.find(mark), rest.size());
    const std::string_view taken = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return taken;
}

/** A weight in thousandths: `1`, `0.25`. */
std::optional<int> read_weight(std::string_view text) noexcept
{
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
    if (text.size() > 1 && text[1] != '.') return std::nullopt;
    int weight = text[0] == '1' ? 1000 : 0;
    int step = 100;
    for (std::size_t i = 2; i < text.size(); ++i, step /= 10) {
        if (text[i] < '0' || text[i] > '9') return std::nullopt;
        weight += (text[i] - '0') * step;
    }
    if (weight > 1000) return std::nullopt;
    return weight;
}

/** What stands behind the name of a coding; a weight is all that there can be. */
std::optional<int> weight_of(std::string_view parameters) noexcept
{
    if (trimmed(parameters).empty()) return 1000;
    const std::string_view name = take_until(parameters, '=');
    if (!equals_ignoring_case(name, "q")) return std::nullopt;
    return read_weight(trimmed(parameters));
}

/** The weights of a client; nothing where it says nothing. */
struct coding_weights {
    std::optional<int> gzip;
    std::optional<int> identity;
    std::optional<int> any;

    void add(std::string_view element) noexcept
    {
        const std::string_view name = take_until(element, ';');
        const std::optional<int> weight = weight_of(element);
        if (!weight) return;
        if (equals_ignoring_case(name, "gzip") || equals_ignoring_case(name, "x-gzip"))
            lower(gzip, *weight);
        else if (equals_ignoring_case(name, "identity"))
            lower(identity, *weight);
        else if (name == "*")
            lower(any, *weight);
    }
    /** Of a coding that is named twice the smaller weight counts: a refusal is meant. */
    static void lower(std::optional<int>& kept, int weight) noexcept { kept = std::min(kept.value_or(1000), weight); }
};

}  // namespace

content_coding preferred_coding(const http_headers& request) noexcept
{
    coding_weights weights;
    std::size_t count = 0;
    for (std::size_t i = 0; i < request.size(); ++i) {
        if (!equals_ignoring_case(request[i].name, "accept-encoding")) continue;
        for (std::string_view rest = request[i].value; !rest.empty();) {
            if (++count > codings_max) return content_coding::identity;
            weights.add(take_until(rest, ','));
        }
    }
    const int gzip = weights.gzip.value_or(weights.any.value_or(0));
    // What is not named may come as it is, and any coding that is named goes before it.
    const int identity = weights.identity.value_or(0);
    return gzip > 0 && gzip >= identity ? content_coding::gzip : content_coding::identity;
}

}  // namespace weft::net_detail
