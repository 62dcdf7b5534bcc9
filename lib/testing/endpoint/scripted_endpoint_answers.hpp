#pragma once

#include "scripted_endpoint_record.hpp"
#include "scripted_endpoint_script.hpp"
#include "testing/model/scripted_reply_plan.hpp"

#include <weft/testing/endpoint/scripted_endpoint_options.hpp>

#include <memory>

namespace weft::testing {

/** Decides what a request gets: checks it, asks the script, and plans the writes. */
class scripted_endpoint_answers {
public:
    scripted_endpoint_answers(const scripted_endpoint_options& options,
                              std::shared_ptr<scripted_endpoint_script> script,
                              scripted_endpoint_record& record);

    /** Never throws because of the script: a function of it that throws makes a status 500. */
    [[nodiscard]] wire_plan answer(const scripted_endpoint_request& request, bool keeps_alive);

    /** For bytes that are no HTTP request. */
    [[nodiscard]] wire_plan refuse(const std::string& reason) const;

private:
    [[nodiscard]] scripted_reply reply_to(const scripted_endpoint_request& request,
                                          reply_setting& setting);

    scripted_endpoint_options options_;
    std::shared_ptr<scripted_endpoint_script> script_;
    scripted_endpoint_record& record_;
};

}  // namespace weft::testing
