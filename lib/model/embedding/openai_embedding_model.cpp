#include <weft/model/embedding/openai_embedding_model.hpp>

#include <weft/base/json/json_peek.hpp>
#include <weft/model/openai_model.hpp>

#include "embedding_wires.hpp"
#include "model/openai/openai_provider.hpp"
#include "model/wire/base_url.hpp"
#include "model/wire/request_writing.hpp"
#include "model/wire/streamed_text.hpp"

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft {

namespace model_detail {

namespace json = boost::json;

namespace {

/** Where the vector of an entry belongs. */
std::size_t openai_index(const json::object& entry, std::size_t otherwise, std::size_t count)
{
    if (!peek_member(entry, "index")) return otherwise;
    const auto index = peek_count(entry, "index");
    if (!index || static_cast<std::uint64_t>(*index) >= count)
        throw reply_refused{errc::invalid_model_reply, "entry " + std::to_string(otherwise) +
                                                           " of the vectors has no index of a text"};
    return static_cast<std::size_t>(*index);
}

embedding_wire openai_embedding_wire(const embedding_options& options)
{
    const std::string base = options.base_url.empty() ? openai_model_options{}.base_url : options.base_url;
    embedding_wire wire{.target = target_below(base, "/embeddings")};
    wire.inputs_max = 2048;
    wire.write = &openai_embedding_body;
    wire.read = &openai_embedding_reply;
    wire.errors = &openai_errors;
    return wire;
}

}  // namespace

std::string openai_embedding_body(const embedding_request& request)
{
    json::array input;
    input.reserve(request.texts.size());
    for (const std::string& text : request.texts) input.push_back(clean_text(text, {}));
    json::object body;
    body.emplace("model", clean_text(request.model, {}));
    body.emplace("input", std::move(input));
    if (request.dimensions) body.emplace("dimensions", *request.dimensions);
    body.emplace("encoding_format", "float");
    return json::serialize(body);
}

embedding_reply openai_embedding_reply(const json::object& reply, const embedding_expectation& expected)
{
    const json::array& entries = read_entries(reply, "data", expected.count);
    embedding_reply out;
    out.vectors.resize(expected.count);
    for (std::size_t i = 0; i != entries.size(); ++i) {
        const json::object* entry = entries[i].if_object();
        if (!entry)
            throw reply_refused{errc::invalid_model_reply,
                                "entry " + std::to_string(i) + " of the vectors is no object"};
        const std::size_t index = openai_index(*entry, i, expected.count);
        // A vector is never empty, so one that is there came before.
        if (!out.vectors[index].empty())
            throw reply_refused{errc::invalid_model_reply, "two vectors came for text " + std::to_string(index)};
        out.vectors[index] = read_vector(peek_member(*entry, "embedding"), index, expected.dimensions_max);
    }
    out.usage = input_usage(peek_object(reply, "usage"), "prompt_tokens");
    return out;
}

}  // namespace model_detail

openai_embedding_model::openai_embedding_model(http_client client, embedding_options options)
    : provider_embedding_model{model_detail::made_embedding_provider(
          std::move(client), options, model_detail::openai_embedding_wire(options))}
{
}

}  // namespace weft
