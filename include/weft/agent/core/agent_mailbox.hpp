#pragma once

#include <weft/agent/conversation/conversation_entry.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft {

/** Something that an agent is told from outside. */
struct mailbox_message {
    std::string text = {};
    message_author author = message_author::program;  ///< `person`: what a client typed, said as it is.
};

/** Something that happened outside: a timer, a webhook. */
struct mailbox_trigger {
    std::string type = {};
    std::string source = {};
    boost::json::value payload = {};
};

/** What waits for an agent, each kind oldest first. */
struct mailbox_content {
    std::vector<mailbox_message> messages = {};
    std::vector<mailbox_trigger> triggers = {};
    [[nodiscard]] bool empty() const noexcept;
};

/** A message as an event loop reads it: what a person says as it is, anything else as `[External event]: …`. */
[[nodiscard]] std::string text_of(const mailbox_message& message);
/** All triggers in one text, `[TRIGGER: type/source]` and the payload of each; empty without any. */
[[nodiscard]] std::string text_of(const std::vector<mailbox_trigger>& triggers);

/** The bounds of a mailbox. */
struct mailbox_limits {
    std::size_t addresses_max = 10'000;     ///< For which something waits.
    std::size_t items_max = 256;            ///< That wait for one address.
    std::size_t bytes_max = 1'024 * 1'024;  ///< Of these together.
};

/** Carries messages and triggers from anywhere to agents at work, and tells them to end.
 *
 *      auto mailbox = std::make_shared<weft::agent_mailbox>();
 *      options.mailbox = mailbox;
 *      …
 *      mailbox->post("thread-1", "Look at Rome only.");
 *      mailbox->abort("thread-1");
 *
 *  The address is the thread (conversation) of the run, so a run that is to be reached has one; turn agents may add to
 *  it (`turn_agent_options::address`). Where tenants share names of threads, each tenant has a mailbox of its own.
 *  Agents read what is there between two turns and do not wait for it. What comes after the last turn waits for the
 *  next run.
 *
 *  Delivery is at least once: an item stays until the state that it was written into counts, so a node that is tried
 *  again, or a run that is resumed in this process, reads it again. The mailbox lives in the process. A crash loses
 *  what no turn had begun with, and an abort that was not carried out: keep a copy of a message that must not be lost
 *  until it appears in the conversation.
 *
 *  @par Thread safety   From any OS thread.
 *  @par Source          The steering queue of Ivy's turn graph; confirmed taking is ours.
 */
class agent_mailbox {
public:
    explicit agent_mailbox(mailbox_limits limits = {});
    ~agent_mailbox();
    agent_mailbox(const agent_mailbox&) = delete;
    agent_mailbox& operator=(const agent_mailbox&) = delete;

    /** Leaves a message. @param author   Event loops tell people from programs; a turn agent takes all for the user's.
     *  @return  False if there is no room: nothing was left. */
    [[nodiscard]] bool post(std::string_view address, std::string text,
                            message_author author = message_author::program);
    /** Leaves a trigger. @return As `post`. */
    [[nodiscard]] bool trigger(std::string_view address, mailbox_trigger what);
    /** Ends a turn agent: what it is at is stopped, and its outcome is `aborted`. Without a run it ends the next one.
     *  Event loops do not look at it: stop their runs.
     *  @return False if there is no room. */
    bool abort(std::string_view address);

    /** How many items wait, those that were read and not yet settled included. */
    [[nodiscard]] std::size_t waiting(std::string_view address) const;

    /** What waits. `take` gives it again until `confirm`. */
    [[nodiscard]] mailbox_content take(std::string_view address);
    /** What was taken last is part of a state that counts: it is dropped here. */
    void confirm(std::string_view address);

private:
    friend class agent_inbox;
    using item = std::variant<mailbox_message, mailbox_trigger>;
    struct box;
    using boxes = std::map<std::string, std::unique_ptr<box>, std::less<>>;

    [[nodiscard]] bool add(std::string_view address, item what);
    [[nodiscard]] boxes::iterator find_or_add(std::string_view address);

    const mailbox_limits limits_;
    mutable std::mutex lock_;
    boxes boxes_;
};

}  // namespace weft
