#include <weft/model/chat/request_parameters.hpp>

#include <boost/json/value_from.hpp>

#include <optional>

namespace weft {

namespace {

namespace json = boost::json;

template <class T>
void put_if_set(json::object& out, const char* name, const std::optional<T>& value)
{
    if (value) out[name] = *value;
}

json::value schema_fields(const output_schema& output)
{
    return {{"name", output.name}, {"description", output.description}, {"schema", output.schema},
            {"strict", output.strict}};
}

}  // namespace

json::object request_parameters(const chat_request& request)
{
    json::object out;
    if (!request.model.empty()) out["model"] = request.model;
    if (!request.tools.empty()) {
        out["tool_choice"] = static_cast<int>(request.tool_choice.how);
        if (request.tool_choice.how == tool_choice::mode::named) out["tool"] = request.tool_choice.tool;
        put_if_set(out, "parallel_tool_calls", request.parallel_tool_calls);
    }
    if (request.output) out["output"] = schema_fields(*request.output);
    put_if_set(out, "temperature", request.temperature);
    put_if_set(out, "top_p", request.top_p);
    put_if_set(out, "seed", request.seed);
    if (request.output_max) out["output_max"] = request.output_max->count();
    if (!request.stop.empty()) out["stop"] = json::value_from(request.stop);
    if (!request.reasoning_effort.empty()) out["reasoning_effort"] = request.reasoning_effort;
    if (!request.extra_body.empty()) out["extra_body"] = request.extra_body;
    return out;
}

}  // namespace weft
