#include <weft/testing/endpoint/scripted_endpoint_match.hpp>

namespace weft::testing {

namespace {

using request = scripted_endpoint_request;

std::string in_quotes(const std::string& text) { return '"' + text + '"'; }

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

// The description grows with the condition, so that a rule that was not met can be told in words.
scripted_endpoint_match operator&&(scripted_endpoint_match a, scripted_endpoint_match b)
{
    std::string words = a.description() + " and " + b.description();
    return {std::move(words), [a = std::move(a), b = std::move(b)](const request& r) {
                return a.holds(r) && b.holds(r);
            }};
}

scripted_endpoint_match operator||(scripted_endpoint_match a, scripted_endpoint_match b)
{
    std::string words = "(" + a.description() + " or " + b.description() + ")";
    return {std::move(words), [a = std::move(a), b = std::move(b)](const request& r) {
                return a.holds(r) || b.holds(r);
            }};
}

scripted_endpoint_match operator!(scripted_endpoint_match a)
{
    std::string words = "not (" + a.description() + ")";
    return {std::move(words), [a = std::move(a)](const request& r) { return !a.holds(r); }};
}

scripted_endpoint_match any_request()
{
    return {"any request", [](const request&) { return true; }};
}

// By a part of the text: prompts change their wording more often than their subject.
scripted_endpoint_match system_contains(std::string text)
{
    std::string words = "system contains " + in_quotes(text);
    return {std::move(words), [text = std::move(text)](const request& r) {
                return contains(r.system_text(), text);
            }};
}

scripted_endpoint_match user_contains(std::string text)
{
    std::string words = "user contains " + in_quotes(text);
    return {std::move(words), [text = std::move(text)](const request& r) {
                return contains(r.last_user_text(), text);
            }};
}

scripted_endpoint_match model_is(std::string name)
{
    std::string words = "model is " + in_quotes(name);
    return {std::move(words), [name = std::move(name)](const request& r) {
                return r.model() == name;
            }};
}

scripted_endpoint_match path_ends_with(std::string text)
{
    std::string words = "path ends with " + in_quotes(text);
    return {std::move(words), [text = std::move(text)](const request& r) {
                return std::string_view{r.target}.substr(0, r.target.find('?')).ends_with(text);
            }};
}

scripted_endpoint_match request_number(std::size_t n)
{
    return {"request number " + std::to_string(n),
            [n](const request& r) { return r.number == n; }};
}

}  // namespace weft::testing
