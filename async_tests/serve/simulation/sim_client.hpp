#pragma once

#include "sim_world.hpp"

#include <weft/async/task.hpp>
#include <weft/net/http_client.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace server_simulation {

struct sim_answer {
    int status = 0;
    weft::http_headers headers;
    boost::json::value body;
};

/** A client of one thread that speaks LangGraph's first protocol. What breaks is tried again, as patient clients do.
 *
 *  @par Lifetimes   The world outlives it, and it what it is asked for. */
class sim_client {
public:
    sim_client(sim_world& world, std::string tenant, std::string thread);

    [[nodiscard]] sim_world& world() noexcept { return world_; }
    [[nodiscard]] const std::string& tenant() const noexcept { return tenant_; }
    [[nodiscard]] const std::string& thread() const noexcept { return thread_; }
    /** For a further run of the thread. */
    [[nodiscard]] std::string next_tag();
    /** `/threads/{thread}` and what stands behind it. */
    [[nodiscard]] std::string path(std::string_view behind = {}) const
    {
        return "/threads/" + thread_ + std::string{behind};
    }

    /** One try. @return  Nothing: the connection broke. */
    [[nodiscard]] weft::task<std::optional<sim_answer>> ask(std::string method, std::string target,
                                                            std::optional<boost::json::object> body = {});
    /** Tries until there is an answer of a server that works. For what may be done twice. */
    [[nodiscard]] weft::task<sim_answer> insist(std::string method, std::string target,
                                                std::optional<boost::json::object> body = {});

    /** Begins a run once, whatever breaks.
     *  @return  Its id; empty: the server has refused it with 409. */
    [[nodiscard]] weft::task<std::string> begin(std::string tag, std::string graph, boost::json::object with = {});
    /** The run that a broken request has begun or not. */
    [[nodiscard]] weft::task<std::string> find(std::string tag);

    /** Begins a run by `runs/stream` and follows it to its end. @return  Its id; empty: it was refused. */
    [[nodiscard]] weft::task<std::string> stream(std::string tag, std::string graph, boost::json::object with,
                                                 stream_judge& judge);
    /** Joins the stream of a run, behind what the judge has seen, until it has come to its end. */
    [[nodiscard]] weft::task<void> follow(std::string run, stream_judge& judge);
    /** Waits until a run is over. @return  Its status, as clients name it. */
    [[nodiscard]] weft::task<std::string> settle(std::string run);
    /** Begins a run by `runs/wait` and checks what comes of it. */
    [[nodiscard]] weft::task<void> wait(std::string tag);

    /** What all runs of the thread have said so far. */
    [[nodiscard]] weft::task<std::vector<std::string>> read_said();

    /** A pause before the next try. */
    [[nodiscard]] weft::task<void> breathe();

private:
    [[nodiscard]] weft::http_request request_to(std::string method, std::string target,
                                                std::optional<boost::json::object> body = {}) const;
    [[nodiscard]] weft::task<bool> read_stream(weft::http_request request, stream_judge& judge, int& status);
    [[nodiscard]] weft::task<bool> has_ended(std::string run, std::string_view how);
    [[nodiscard]] static boost::json::object body_of(std::string tag, std::string graph, boost::json::object with);

    sim_world& world_;
    std::string tenant_;
    std::string thread_;
    weft::http_client client_;
    unsigned runs_ = 0;
};

}  // namespace server_simulation
