#include <weft/engine/run_request.hpp>

#include <weft/base/memory/hidden_ptr_operations.hpp>
#include <weft/engine/run/checkpoint_saver.hpp>

#include <boost/json/object.hpp>

#include <memory>
#include <utility>

namespace weft {

template struct hidden_operations<run_request::data>;
template struct hidden_operations<question_answers>;

run_request& run_request::input(boost::json::object values)
{
    own().json_input = std::make_shared<const boost::json::object>(std::move(values));
    return *this;
}

run_request& run_request::answers(question_answers given)
{
    own().answers = hidden_ptr<question_answers>{new question_answers{std::move(given)}};
    return *this;
}

run_request& run_request::answer(std::string address, boost::json::value value)
{
    hidden_ptr<question_answers>& all = own().answers;
    if (!all) all = hidden_ptr<question_answers>{new question_answers};
    all->insert_or_assign(std::move(address), std::move(value));
    return *this;
}

const run_request::data& run_request::defaults() noexcept
{
    static const data all;
    return all;
}

run_request::data& run_request::make_own()
{
    data_ = hidden_ptr<data>{new data};
    return *data_;
}

}  // namespace weft
