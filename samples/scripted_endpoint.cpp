// A model endpoint for programs in any language: weft's scripted endpoint, started from a shell. It
// says where it is in lines that a shell can read, and answers until its standard input ends.
//
//   coproc endpoint { build/release/samples/scripted_endpoint; }
//   while read -r setting <&"${endpoint[0]}" && [ -n "$setting" ]; do export "$setting"; done
//   curl --cacert "$SSL_CERT_FILE" "$WEFT_LLM_URL/chat/completions" -d '…'
//
// `build/release/samples/parallel_research` understands the same settings.

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>
#include <weft/testing/endpoint/parallel_research_script.hpp>
#include <weft/testing/model/word_embedding_model.hpp>
#include <weft/testing/scripted_endpoint.hpp>
#include <weft/testing/test_certificates.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

namespace json = boost::json;
using weft::testing::scripted_endpoint;
using weft::testing::scripted_endpoint_request;
using weft::testing::scripted_reply;

/** The functions that the request offers; none once a tool has answered. */
const json::array* offered_tools(const scripted_endpoint_request& request)
{
    const json::object* body = request.json.if_object();
    const json::value* tools = body ? body->if_contains("tools") : nullptr;
    const json::array* list = tools ? tools->if_array() : nullptr;
    return list && !list->empty() && request.text_of("tool").empty() ? list : nullptr;
}

json::value example_of(const json::value& schema)
{
    const json::object* fields = schema.if_object();
    const json::value* type = fields ? fields->if_contains("type") : nullptr;
    if (!type || *type == "string") return "Lisbon";
    if (type->is_array()) return nullptr;  // what may be left out
    if (*type == "integer" || *type == "number") return 7;
    if (*type == "boolean") return true;
    return *type == "array" ? json::value(json::array{}) : json::value(json::object{});
}

const json::object* member_object(const json::object* of, json::string_view name)
{
    const json::value* member = of ? of->if_contains(name) : nullptr;
    return member ? member->if_object() : nullptr;
}

/** Calls the first tool, with an example for each of its parameters. */
scripted_reply call_tool(const scripted_endpoint_request& request)
{
    const json::object* tool = offered_tools(request)->front().if_object();
    const json::object* function = member_object(tool, "function");
    const json::value* name = function ? function->if_contains("name") : nullptr;
    if (!name || !name->is_string())
        return weft::testing::status(400, "the first tool is no function with a name");
    json::object arguments;
    const json::object* parameters = member_object(function, "parameters");
    if (const json::object* properties = member_object(parameters, "properties"))
        for (const json::key_value_pair& property : *properties)
            arguments.emplace(property.key(), example_of(property.value()));
    return weft::testing::tool_call(std::string{name->get_string()}, json::serialize(arguments));
}

scripted_reply repeat(const scripted_endpoint_request& request)
{
    const std::string told = request.text_of("tool");
    return weft::testing::text(told.empty() ? "You said: " + request.last_user_text()
                                            : "The tool said: " + told);
}

/** The texts of a request for vectors, which may be one text. */
std::vector<std::string> texts_to_embed(const scripted_endpoint_request& request)
{
    const json::object* body = request.json.if_object();
    const json::value* input = body ? body->if_contains("input") : nullptr;
    std::vector<std::string> texts;
    if (input && input->is_string()) texts.emplace_back(input->get_string());
    if (input && input->is_array())
        for (const json::value& each : input->get_array())
            if (each.is_string()) texts.emplace_back(each.get_string());
    return texts;
}

/** Vectors by the words of the texts. */
scripted_reply embed(const scripted_endpoint_request& request)
{
    weft::testing::word_embedding_model words{4'096};
    try {
        const weft::embeddings made = weft::run_blocking(words.embed(texts_to_embed(request)));
        json::array data;
        for (std::size_t i = 0; i != made.vectors.size(); ++i) {
            const json::array numbers(made.vectors[i].begin(), made.vectors[i].end());
            data.push_back({{"object", "embedding"}, {"index", i}, {"embedding", numbers}});
        }
        const std::int64_t tokens = made.usage.input.count();
        const json::value reply = {
            {"object", "list"}, {"data", data}, {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}};
        return weft::testing::status(200).body(json::serialize(reply)).header("content-type", "application/json");
    } catch (const weft::error& e) {
        return weft::testing::status(400, e.what());
    }
}

}  // namespace

int main()
try {
    scripted_endpoint endpoint;
    weft::testing::parallel_research_script(endpoint);
    endpoint.when([](const scripted_endpoint_request& r) { return offered_tools(r) != nullptr; })
        .reply_always(call_tool);
    endpoint.when(weft::testing::path_ends_with("/embeddings")).reply_always(embed);
    endpoint.when(&scripted_endpoint_request::is_chat).reply_always(repeat);
    const weft::testing::pem_file authority{endpoint.ca_pem()};
    std::cout << "WEFT_LLM_URL=" << endpoint.url() << "\nWEFT_LLM_MODEL=scripted\nSSL_CERT_FILE="
              << authority.path().string() << "\n\n"
              << std::flush;
    for (std::string line; std::getline(std::cin, line);) continue;
} catch (const std::exception& e) {
    std::cerr << "scripted_endpoint: " << e.what() << '\n';
    return 1;
}
