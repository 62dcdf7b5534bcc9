#include <weft/observe/publish_to.hpp>

#include <weft/base/json/json_text.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <utility>

namespace weft {

namespace {

class run_publication {
public:
    run_publication(std::shared_ptr<event_sink> sink, publication about)
        : sink_{std::move(sink)}, takes_{std::move(about.takes)}
    {
        if (!about.run.empty()) head_["run"] = about.run;
        if (!about.thread.empty()) head_["thread"] = about.thread;
        if (!about.graph.empty()) head_["graph"] = about.graph;
    }

    void operator()(const run_event& event)
    {
        if (!began_) began_ = event.at;
        if (takes_ && !takes_(event)) return;
        boost::json::object line = head_;
        if (!line.contains("run")) line["run"] = event.run.text();
        line["id"] = event.id;
        for (auto& [name, value] : to_json(event, *began_)) line.insert_or_assign(name, std::move(value));
        sink_->publish(to_json_text(line));
    }

private:
    std::shared_ptr<event_sink> sink_;
    std::function<bool(const run_event&)> takes_;
    boost::json::object head_;
    std::optional<time_point> began_;
};

}  // namespace

run_request::event_function publish_to(std::shared_ptr<event_sink> sink, publication about)
{
    return run_publication{std::move(sink), std::move(about)};
}

}  // namespace weft
