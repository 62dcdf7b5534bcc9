#include "embedding_reply.hpp"

#include <weft/base/json/json_peek.hpp>

#include "model/wire/streamed_text.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace weft::model_detail {

namespace json = boost::json;

namespace {

[[noreturn]] void refuse_vector(std::size_t index, std::string_view why)
{
    throw reply_refused{errc::invalid_model_reply,
                        "the vector of text " + std::to_string(index) + " " + std::string{why}};
}

float read_component(const json::value& from, std::size_t index)
{
    if (!from.is_number()) refuse_vector(index, "has something in it that is no number");
    const double number = from.to_number<double>();
    // Written so that a NaN is refused too; a cast of a larger number would be undefined.
    if (!(std::abs(number) <= double{std::numeric_limits<float>::max()}))
        refuse_vector(index, "has a number in it that is too large");
    return static_cast<float>(number);
}

}  // namespace

std::vector<float> read_vector(const json::value* from, std::size_t index, std::size_t dimensions_max)
{
    const json::array* numbers = from ? from->if_array() : nullptr;
    if (!numbers) refuse_vector(index, "is no list of numbers");
    if (numbers->empty()) refuse_vector(index, "is empty");
    if (numbers->size() > dimensions_max)
        throw reply_refused{errc::response_too_large, "the vector of text " + std::to_string(index) + " has " +
                                                          std::to_string(numbers->size()) + " numbers, more than " +
                                                          std::to_string(dimensions_max)};
    std::vector<float> vector;
    vector.reserve(numbers->size());
    for (const json::value& number : *numbers) vector.push_back(read_component(number, index));
    return vector;
}

const json::array& read_entries(const json::object& reply, std::string_view name, std::size_t count)
{
    const json::array* entries = peek_array(reply, name);
    if (!entries)
        throw reply_refused{errc::invalid_model_reply, "the reply has no list '" + std::string{name} + "'"};
    if (entries->size() != count)
        throw reply_refused{errc::invalid_model_reply, std::to_string(entries->size()) + " vectors came for " +
                                                           std::to_string(count) + " texts"};
    return *entries;
}

void check_lengths(const std::vector<std::vector<float>>& vectors, std::optional<std::size_t> dimensions)
{
    for (std::size_t i = 0; i != vectors.size(); ++i) {
        const std::size_t expected = dimensions.value_or(vectors.front().size());
        if (vectors[i].size() != expected)
            refuse_vector(i, "has " + std::to_string(vectors[i].size()) + " numbers, not " + std::to_string(expected));
    }
}

usage input_usage(const json::object* counts, std::string_view name)
{
    const auto count = counts ? peek_count(*counts, name) : std::nullopt;
    if (!count) return usage::unknown();
    usage used;
    used.input = tokens{*count};
    return used;
}

}  // namespace weft::model_detail
