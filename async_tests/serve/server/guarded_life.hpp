#pragma once

#include "serve/server/server_life.hpp"

#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/serve/api_keys.hpp>
#include <weft/store/service/api_key_table.hpp>
#include <weft/store/service/audit_log.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

inline constexpr weft::state_key<std::string> asked_name{"name"};

inline weft::graph asking_graph()
{
    const auto ask = [](weft::node_context& ctx) -> weft::task<void> {
        weft::question which{"Which one?"};
        const std::string answer = co_await ctx.ask<std::string>(std::move(which));
        ctx.set(asked_name, answer);
    };
    return weft::graph_builder{"asking"}.state(asked_name).node("ask", ask).edge(weft::start, "ask").build();
}

inline weft::server_options asking_who()
{
    weft::server_options options;
    options.auth.api_keys = true;
    return options;
}

/** A server with keys, and callers that use them. */
class guarded_life : public life {
public:
    explicit guarded_life(test_loop& where, weft::memory_store& store, weft::server_options options = asking_who(),
                          std::vector<weft::served_graph> graphs = {asking_graph()})
        : life{where, store, std::move(graphs), std::move(options)}, where_{where}, store_{store}
    {
    }

    std::string make_key(std::string tenant, std::string_view scopes = R"(["*"])")
    {
        const std::string key = weft::new_api_key();
        weft::api_key made;
        made.hash = weft::hash_of_api_key(key);
        made.tenant = std::move(tenant);
        made.name = "key of " + made.tenant;
        made.metadata = R"({"scopes":)" + std::string{scopes} + '}';
        weft::api_key_table table{store_.service().documents()};
        started adding{where_, table.add(std::move(made))};
        BOOST_TEST_REQUIRE(adding.result());
        return key;
    }
    answer as(const std::string& key, std::string method, std::string_view target, std::string body = {})
    {
        weft::http_request request = request_to(std::move(method), target);
        request.secret("X-Api-Key", weft::secret_string{key});
        if (!body.empty()) request.body(std::move(body), "application/json");
        return send(std::move(request));
    }
    void revoke(const std::string& key, std::string tenant = "acme")
    {
        weft::api_key_table table{store_.service().documents()};
        started revoking{where_, table.revoke(std::move(tenant), weft::hash_of_api_key(key))};
        BOOST_TEST_REQUIRE(revoking.result());
    }
    std::vector<weft::audit_entry> audited(std::optional<std::string> action = {})
    {
        weft::audit_log log{store_.service().documents()};
        started searching{where_, log.search({.action = std::move(action)})};
        return searching.result().entries;
    }

private:
    test_loop& where_;
    weft::memory_store& store_;
};
