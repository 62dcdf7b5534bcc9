#include "outbox_document.hpp"

#include <weft/base/json/json_text.hpp>

#include <utility>

namespace weft::store_detail {

std::string text_of(outbox_document message)
{
    return to_json_text(boost::json::object{{"url", message.url},
                                            {"payload", std::move(message.payload)},
                                            {"attempts", message.attempts},
                                            {"last_error", message.last_error},
                                            {"is_dead", message.is_dead}});
}

document_change message_of_end(const stored_run& ended, wall_time now)
{
    document_change change;
    change.key = {outbox_kind, ended.thread.tenant, ended.id.text()};
    // Neither message nor metadata, which may be as long as a document and are in the run.
    outbox_document message;
    message.url = ended.webhook;
    message.payload = {{"run", ended.id.text()},
                       {"thread", ended.thread.thread},
                       {"graph", ended.graph},
                       {"phase", name_of(ended.phase)}};
    change.body = text_of(std::move(message));
    change.due = now;
    change.expected = 0;
    return change;
}

}  // namespace weft::store_detail
