#pragma once

#include <weft/testing/endpoint/scripted_endpoint_request.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace weft::testing {

/** Which requests a rule of a scripted endpoint is for: a question about the request and the words
 *  for it in messages. Matches combine with `&&`, `||` and `!`; any function that takes a request
 *  and answers with a `bool` is a match too.
 *
 *  @par Thread safety   As a value. The question is asked on the OS thread of the endpoint, and must
 *                       not call the endpoint.
 */
class scripted_endpoint_match {
public:
    using predicate = std::function<bool(const scripted_endpoint_request&)>;

    scripted_endpoint_match(std::string description, predicate holds)
        : description_{std::move(description)}, holds_{std::move(holds)}
    {
    }

    template <std::predicate<const scripted_endpoint_request&> F>
        requires(!std::same_as<std::remove_cvref_t<F>, scripted_endpoint_match>)
    scripted_endpoint_match(F holds)  // NOLINT: a lambda is meant to be a match
        : scripted_endpoint_match{"a predicate", predicate{std::move(holds)}}
    {
    }

    [[nodiscard]] bool holds(const scripted_endpoint_request& request) const
    {
        return holds_(request);
    }
    [[nodiscard]] const std::string& description() const noexcept { return description_; }

private:
    std::string description_;
    predicate holds_;
};

[[nodiscard]] scripted_endpoint_match operator&&(scripted_endpoint_match, scripted_endpoint_match);
[[nodiscard]] scripted_endpoint_match operator||(scripted_endpoint_match, scripted_endpoint_match);
[[nodiscard]] scripted_endpoint_match operator!(scripted_endpoint_match);

[[nodiscard]] scripted_endpoint_match any_request();
/** A system or developer message contains this text. */
[[nodiscard]] scripted_endpoint_match system_contains(std::string text);
/** The last user message contains this text. */
[[nodiscard]] scripted_endpoint_match user_contains(std::string text);
[[nodiscard]] scripted_endpoint_match model_is(std::string name);
/** The path, without the query, ends with this text. */
[[nodiscard]] scripted_endpoint_match path_ends_with(std::string text);
/** The n-th request that the endpoint sees, from 1. */
[[nodiscard]] scripted_endpoint_match request_number(std::size_t n);

}  // namespace weft::testing
