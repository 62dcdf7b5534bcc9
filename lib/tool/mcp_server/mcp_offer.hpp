#pragma once

#include "uri_template.hpp"

#include <weft/base/json_schema.hpp>
#include <weft/tool/mcp_server.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::mcp_detail {

struct offered_tool {
    mcp_tool definition;
    mcp_server::tool_function function;
    json_schema input;
};
struct offered_resource {
    mcp_resource definition;
    mcp_server::resource_function function;
};
struct offered_template {
    mcp_resource_template definition;
    mcp_server::resource_function function;
    uri_template form;
};
struct offered_prompt {
    mcp_prompt definition;
    mcp_server::prompt_function function;
};

/** What a server has to offer, in the order in which it was added.
 *
 *  @par Errors   Of what adds: `errc::invalid_configuration`. */
class mcp_offer {
public:
    void add(mcp_tool definition, mcp_server::tool_function function);
    void add(tool_set tools, tool_runner_options runner);
    void add(mcp_resource definition, mcp_server::resource_function function);
    void add(mcp_resource_template definition, mcp_server::resource_function function);
    void add(mcp_prompt definition, mcp_server::prompt_function function);

    [[nodiscard]] const std::vector<offered_tool>& tools() const noexcept { return tools_; }
    [[nodiscard]] const std::vector<offered_resource>& resources() const noexcept { return resources_; }
    [[nodiscard]] const std::vector<offered_template>& templates() const noexcept { return templates_; }
    [[nodiscard]] const std::vector<offered_prompt>& prompts() const noexcept { return prompts_; }

    /** Null if there is none. */
    [[nodiscard]] const offered_tool* tool(std::string_view name) const noexcept;
    [[nodiscard]] const offered_prompt* prompt(std::string_view name) const noexcept;

    /** What answers for an address; nothing if there is no such resource. */
    struct readable {
        const mcp_server::resource_function* function;
        boost::json::object parts;
    };
    [[nodiscard]] std::optional<readable> resource(std::string_view uri) const;

private:
    std::vector<offered_tool> tools_;
    std::vector<offered_resource> resources_;
    std::vector<offered_template> templates_;
    std::vector<offered_prompt> prompts_;
};

}  // namespace weft::mcp_detail
