import json, os, sys, paho.mqtt.client as mqtt

def take(client, _, message):
    record = json.loads(message.payload)
    if "id" in record:
        store.write(json.dumps(record) + "\n")
        store.flush(), os.fsync(store)
        if "receipt_to" in record: client.publish(record["receipt_to"], record["id"], qos=1)

store = open("records.jsonl", "a")
client = mqtt.Client(client_id="archive", clean_session=False)
client.on_connect = lambda client, *_: client.subscribe("waypost/#", qos=1)
client.on_message = take
client.connect(sys.argv[1], int(sys.argv[2]))
client.loop_forever()
