#pragma once

#include <weft/tool/mcp_client.hpp>

#include "mcp_connection.hpp"
#include "mcp_rounds.hpp"

#include <set>

namespace weft::mcp_detail {

/** One kept list. */
template <class Item>
struct cached_list {
    mcp_client::list<Item> items{};
    std::optional<time_point> expires{};

    [[nodiscard]] bool is_fresh(time_point now) const noexcept { return items && (!expires || now < *expires); }
    void forget() noexcept { items.reset(); }
};

/** How a list is asked for. */
template <class Item>
struct list_request {
    using reader = std::optional<Item> (*)(const boost::json::value&, const mcp_limits&,
                                           const std::function<void(std::string)>&);
    const char* capability;
    const char* method;
    const char* member;
    reader read;
};

/** What stands between a client's calls and its connection: what is repeated, the rounds of the modern era, lists. */
class mcp_session {
public:
    mcp_session(std::unique_ptr<mcp_transport> transport, const mcp_client_options& options);

    [[nodiscard]] mcp_connection& connection() noexcept { return connection_; }

    /** Makes a request, with as many rounds and repetitions as it takes. */
    [[nodiscard]] task<boost::json::object> request(std::string method, boost::json::object params,
                                                    mcp_call_options options);
    [[nodiscard]] task<mcp_call_result> call_tool(std::string name, boost::json::object arguments,
                                                  mcp_call_options options);

    /** @throws `errc::mcp_unsupported` if the connected server has not the capability. */
    void require(const char* capability) const;

    template <class Item>
    [[nodiscard]] task<mcp_client::list<Item>> list(list_request<Item> how, cached_list<Item>& kept)
    {
        co_await connection_.connect();
        if (kept.is_fresh(connection_.loop()->now())) co_return kept.items;
        require(how.capability);
        const std::uint64_t asked_at = changes_;
        std::optional<time_point> expires;
        std::vector<boost::json::value> raw = co_await pages(how.method, how.member, expires);
        auto items = std::make_shared<std::vector<Item>>();
        const auto complain = [this](std::string what) { connection_.complain(std::move(what)); };
        for (const boost::json::value& each : raw)
            if (auto item = how.read(each, options_.limits, complain)) items->push_back(std::move(*item));
        mcp_client::list<Item> made = std::move(items);
        // What changed while the pages came is not in them.
        if (asked_at == changes_) {
            kept.items = made;
            kept.expires = expires;
        }
        co_return made;
    }

    cached_list<mcp_tool> tools;
    cached_list<mcp_resource> resources;
    cached_list<mcp_resource_template> templates;
    cached_list<mcp_prompt> prompts;

private:
    using headers = std::vector<mcp_outgoing::header>;

    void forget_all();
    void notified(const json_rpc_message& notification);
    void list_changed(mcp_list which);
    task<std::vector<boost::json::value>> pages(std::string method, std::string member,
                                                std::optional<time_point>& expires);
    task<boost::json::object> rounds(std::string method, boost::json::object params, headers arguments,
                                     mcp_call_options options);
    task<boost::json::object> attempt(std::string method, boost::json::object params, headers arguments,
                                      mcp_call_options options);
    task<boost::json::object> ask_once(std::string method, boost::json::object params, headers arguments,
                                       mcp_call_options options);
    task<boost::json::object> next_round(const mcp_rounds& asked);
    task<const mcp_tool*> definition_of(std::string name, mcp_client::list<mcp_tool>& keeps);
    task<boost::json::object> call_defined(boost::json::object params, const mcp_tool* tool, mcp_call_options options);

    const mcp_client_options& options_;
    std::uint64_t changes_ = 0;
    mcp_connection connection_;  // last: what it calls back is made before
};

}  // namespace weft::mcp_detail
